/**
 * Keeps the engine sure that an attempt is alive, and passes on a cancellation asked for in the
 * engine itself (its console or command). Short attempts never heartbeat, so it costs them nothing.
 */
import { Context } from '@temporalio/activity';
import { HEARTBEAT_TIMEOUT_MS } from '../workflows/rules/attempt-limits';

/** The SDK's word for "the worker stops", which is not the request's cancellation. */
const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';

export async function withHeartbeat<T>(work: () => Promise<T>, onCancelled: () => void): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_TIMEOUT_MS / 3);
  const cancelled = (): void => {
    const reason: unknown = context.cancellationSignal.reason;
    if (!(reason instanceof Error) || reason.message !== WORKER_SHUTDOWN) onCancelled();
  };
  context.cancellationSignal.addEventListener('abort', cancelled, { once: true });
  try {
    return await work();
  } finally {
    clearInterval(timer);
    context.cancellationSignal.removeEventListener('abort', cancelled);
  }
}
