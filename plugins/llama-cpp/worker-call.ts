import { UpstreamFailure, type AdapterReply, type CallDeadlines, type StreamEvent } from '../adapter';
import { CallTimer, DEADLINE_TEXT } from '../call-timer';
import type { CallChannel, CallMessage } from './call-channel';
import type { WorkerFailure } from './protocol';

/**
 * One call's way from the worker's messages to the adapter's reply. `leave` tells the worker to
 * stop; it is called once, and only when the call has not ended by itself.
 */
export async function replyOf(
  channel: CallChannel,
  leave: () => void,
  deadlines: CallDeadlines,
  signal: AbortSignal,
): Promise<AdapterReply> {
  const timer = new CallTimer(signal);
  let over = false;

  function end(): void {
    timer.release();
    if (over) return;
    over = true;
    leave();
  }

  async function next(): Promise<CallMessage> {
    try {
      const message = await timer.race(channel.next());
      if (message.type !== 'event') over = true;
      if (message.type === 'failed') throw asUpstreamFailure(message.failure);
      timer.disarm();
      return message;
    } catch (error) {
      end();
      throw error;
    }
  }

  timer.arm(deadlines.firstByteMs, DEADLINE_TEXT.firstByte);
  const first = await next();
  if (first.type === 'done') {
    timer.release();
    return { kind: 'json', text: first.text ?? '' };
  }

  let held: CallMessage | null = first;
  const iterator: AsyncIterator<StreamEvent> = {
    async next() {
      if (over && held === null) return { done: true, value: undefined };
      timer.arm(deadlines.idleMs, DEADLINE_TEXT.idle);
      const message = held ?? (await next());
      held = null;
      timer.disarm();
      if (message.type === 'event') return { done: false, value: { event: null, data: message.data } };
      timer.release();
      return { done: true, value: undefined };
    },
    async return() {
      held = null;
      end();
      return { done: true, value: undefined };
    },
  };
  return { kind: 'stream', events: { [Symbol.asyncIterator]: () => iterator } };
}

function asUpstreamFailure(failure: WorkerFailure): UpstreamFailure {
  switch (failure.kind) {
    case 'aborted':
      return new UpstreamFailure('aborted', 'The call was cancelled.');
    case 'configuration':
      return new UpstreamFailure('configuration', failure.message);
    case 'status':
      return new UpstreamFailure('status', failure.error.message, {
        status: failure.status,
        body: JSON.stringify({ error: failure.error }),
      });
  }
}
