import { UpstreamFailure } from './adapter';

/**
 * One call's end from our side: its own signal, or the deadline that applies just now. One timer,
 * re-armed as the call moves from connecting to waiting to streaming (spec K, TIMEOUTS).
 */
export class CallTimer {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private readonly onAbort = (): void => this.end(new UpstreamFailure('aborted', 'The call was cancelled.'));

  constructor(private readonly outer: AbortSignal) {
    if (outer.aborted) this.onAbort();
    else outer.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Fires once, with an UpstreamFailure as its reason. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  arm(afterMs: number, message: string): void {
    this.disarm();
    if (this.signal.aborted) return;
    this.timer = setTimeout(() => this.end(new UpstreamFailure('timeout', message)), afterMs);
  }

  disarm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Nothing fires any more. */
  release(): void {
    this.disarm();
    this.outer.removeEventListener('abort', this.onAbort);
  }

  /** Settles with `work`, or rejects when the call ends first. */
  async race<T>(work: Promise<T>): Promise<T> {
    let give = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      give = () => reject(this.signal.reason as UpstreamFailure);
      if (this.signal.aborted) give();
      else this.signal.addEventListener('abort', give, { once: true });
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      this.signal.removeEventListener('abort', give);
    }
  }

  private end(failure: UpstreamFailure): void {
    this.release();
    this.controller.abort(failure);
  }
}

export const DEADLINE_TEXT = {
  connect: 'The backend did not accept a connection in time.',
  firstByte: 'The backend did not begin its answer in time.',
  idle: 'The backend stopped sending in the middle of its answer.',
} as const;
