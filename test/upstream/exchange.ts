import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import type { Gate } from './gate';
import type { RecordedRequest } from './request-log';

/** A function is evaluated when the head is sent, e.g. for a Retry-After date. */
export type HeaderValue = string | number | (() => string | number);
export type Headers = Readonly<Record<string, HeaderValue>>;
export type Pause = number | Gate;

/** Thrown inside an answer when its client has gone; ends it quietly. */
export class ClientGone extends Error {}

/** One request being answered: the script's hand on the wire. */
export class Exchange {
  readonly #gone = new AbortController();

  constructor(
    readonly request: RecordedRequest,
    private readonly response: ServerResponse,
    private readonly socket: Socket,
  ) {
    response.once('close', () => this.#gone.abort());
  }

  /** Status and headers, in a TCP write of their own. */
  async head(status: number, headers: Headers = {}): Promise<void> {
    this.#stillThere();
    const values = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'function' ? value() : value,
    ]);
    this.response.writeHead(status, Object.fromEntries(values));
    this.response.flushHeaders();
    await nextTurn();
  }

  /** These bytes in one TCP write; resolves when they are with the kernel. */
  async write(bytes: string | Uint8Array): Promise<void> {
    this.#stillThere();
    await new Promise<void>((resolve) => this.response.write(bytes, () => resolve()));
    await nextTurn();
  }

  /** The regular end of the answer. */
  async end(bytes?: string | Uint8Array): Promise<void> {
    this.#stillThere();
    await new Promise<void>((resolve) => this.response.end(bytes, () => resolve()));
  }

  /** A clean FIN in the midst of the answer. */
  fin(): void {
    this.socket.end();
  }

  /** An RST in the midst of the answer. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** A time in milliseconds, or until a gate opens. */
  async pause(pause: Pause): Promise<void> {
    const { signal } = this.#gone;
    if (typeof pause === 'number') {
      await after(pause, undefined, { signal, ref: false }).catch(() => undefined);
    } else {
      await Promise.race([pause.opened, gone(signal)]);
    }
    this.#stillThere();
  }

  /** Nothing more, for as long as the client stays. */
  async stall(): Promise<never> {
    await gone(this.#gone.signal);
    throw new ClientGone();
  }

  #stillThere(): void {
    if (this.#gone.signal.aborted || this.socket.destroyed) throw new ClientGone();
  }
}

function gone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
