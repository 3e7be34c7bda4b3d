import type { IncomingHttpHeaders } from 'node:http';
import { Waits } from './waits';

/** What the upstream saw of one request. Times are milliseconds of `performance.now()`. */
export interface RecordedRequest {
  /** 1, 2, … over all inference requests of this upstream. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body's bytes as they came. */
  readonly raw: Buffer;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: unknown;
  readonly model: string | null;
  /** Requests on one keep-alive connection share it. */
  readonly socketId: number;
  readonly receivedAt: number;
  /** The answer was written whole. */
  answeredAt: number | null;
  /** The connection went: after the answer, or in its midst (see `answeredAt`). */
  closedAt: number | null;
}

const WITHIN_MS = 10_000;

/** Requests in order of arrival, and waits for the next. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  readonly #waits = new Waits();

  constructor(private readonly name: string) {}

  add(request: RecordedRequest): void {
    this.requests.push(request);
    this.#waits.changed();
  }

  /** To be called after a recorded request's fields changed. */
  changed(): void {
    this.#waits.changed();
  }

  /** The n-th request, 1-based, as soon as its body is here. */
  request(n: number, withinMs = WITHIN_MS): Promise<RecordedRequest> {
    return this.#waits.until(`${this.name}: request ${n}`, () => this.requests[n - 1], withinMs);
  }

  /** Resolves when the n-th request's answer was written whole. */
  answered(n: number, withinMs = WITHIN_MS): Promise<RecordedRequest> {
    return this.#waits.until(`${this.name}: the end of answer ${n}`, () => this.#where(n, 'answeredAt'), withinMs);
  }

  /** Resolves when the n-th request's connection is closed. */
  closed(n: number, withinMs = WITHIN_MS): Promise<RecordedRequest> {
    return this.#waits.until(`${this.name}: the close of request ${n}`, () => this.#where(n, 'closedAt'), withinMs);
  }

  #where(n: number, time: 'answeredAt' | 'closedAt'): RecordedRequest | undefined {
    const request = this.requests[n - 1];
    return request && request[time] !== null ? request : undefined;
  }
}
