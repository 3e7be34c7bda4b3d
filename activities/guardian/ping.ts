/** Asks a backend whether it is there, for at most so long (spec F1). */
import type { Adapter } from '../../plugins/adapter';

/** Null: it answered; else why not, for a person. */
export async function ping(adapter: Adapter, timeoutMs: number, signal: AbortSignal): Promise<string | null> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    // The adapter may not obey the signal; the guardian has to go on all the same.
    await Promise.race([adapter.ping(AbortSignal.any([signal, limit])), fires(limit)]);
    return null;
  } catch (error) {
    if (signal.aborted) throw error;
    if (limit.aborted) return `it did not answer a ping within ${timeoutMs / 1_000} s`;
    return error instanceof Error ? error.message : String(error);
  }
}

function fires(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fire = (): void => reject(new Error('timeout'));
    if (signal.aborted) fire();
    else signal.addEventListener('abort', fire, { once: true });
  });
}
