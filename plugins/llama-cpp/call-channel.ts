import type { UpstreamFailure } from '../adapter';
import type { FromWorker } from './protocol';

export type CallMessage = Extract<FromWorker, { type: 'event' | 'done' | 'failed' }>;

/** The worker's messages about one call, waiting to be taken in order. */
export class CallChannel {
  private readonly waiting: CallMessage[] = [];
  private failure: UpstreamFailure | null = null;
  private wake: (() => void) | null = null;

  push(message: CallMessage): void {
    this.waiting.push(message);
    this.wake?.();
  }

  /** What was pushed before is still given. */
  fail(failure: UpstreamFailure): void {
    this.failure ??= failure;
    this.wake?.();
  }

  async next(): Promise<CallMessage> {
    for (;;) {
      const message = this.waiting.shift();
      if (message !== undefined) return message;
      if (this.failure !== null) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
