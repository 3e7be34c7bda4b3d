/** Ready-made answers, good and bad. Each is one try's whole behaviour. */
import { gzipOfZeros } from './gzip-bomb';
import type { Headers, Pause } from './exchange';
import type { Answer } from './script';
import { errorBody, ev } from './wire';

const JSON_TYPE: Headers = { 'content-type': 'application/json' };
const SSE_TYPE: Headers = { 'content-type': 'text/event-stream; charset=utf-8' };

export interface JsonOptions {
  readonly status?: number;
  readonly headers?: Headers;
  /** Waits before the head. */
  readonly beforeHead?: Pause;
}

/** A whole answer with its length; a string is sent as it is. */
export function json(body: unknown, options: JsonOptions = {}): Answer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return async (exchange) => {
    if (options.beforeHead !== undefined) await exchange.pause(options.beforeHead);
    await exchange.head(options.status ?? 200, { ...JSON_TYPE, 'content-length': bytes.length, ...options.headers });
    await exchange.end(bytes);
  };
}

/** An error status with an OpenAI-shaped body. */
export const status = (code: number, headers: Headers = {}, message = `upstream says ${code}`): Answer =>
  json(errorBody(message), { status: code, headers });

/** A 429; the header may be a function, evaluated when it is sent. */
export const rateLimited = (headers: Headers = {}): Answer =>
  json(errorBody('slow down', 'rate_limit_error', 'rate_limit_exceeded'), { status: 429, headers });

/** A Retry-After date `ms` from the moment the answer is sent. */
export const dateIn = (ms: number) => (): string => new Date(Date.now() + ms).toUTCString();

export interface StreamOptions {
  readonly headers?: Headers;
  readonly beforeHead?: Pause;
  /** After each write. */
  readonly between?: number;
  /** How it ends: regularly by default. */
  readonly then?: 'end' | 'fin' | 'reset' | 'stall';
}

/** A 200 event stream: strings and bytes are one TCP write each, numbers and gates are waits. */
export function stream(steps: readonly (string | Uint8Array | Pause)[], options: StreamOptions = {}): Answer {
  return async (exchange) => {
    if (options.beforeHead !== undefined) await exchange.pause(options.beforeHead);
    await exchange.head(200, { ...SSE_TYPE, ...options.headers });
    for (const step of steps) {
      if (typeof step === 'string' || step instanceof Uint8Array) {
        await exchange.write(step);
        if (options.between) await exchange.pause(options.between);
      } else {
        await exchange.pause(step);
      }
    }
    if (options.then === 'fin') exchange.fin();
    else if (options.then === 'reset') exchange.reset();
    else if (options.then === 'stall') await exchange.stall();
    else await exchange.end();
  };
}

/** An error event inside a 200 stream, after what `before` says. */
export const errorEvent = (before: readonly string[], error: Record<string, unknown>): Answer =>
  stream([...before, ev({ error })]);

/** The request is read and nothing is ever said. */
export const halfOpen: Answer = (exchange) => exchange.stall();

/** RST instead of an answer. */
export const reset: Answer = (exchange) => Promise.resolve(exchange.reset());

/** A clean close instead of an answer. */
export const hangUp: Answer = (exchange) => Promise.resolve(exchange.fin());

/** A head that promises more than the body that comes before a clean close. */
export const cutBody =
  (bytes: string, promised: number): Answer =>
  async (exchange) => {
    await exchange.head(200, { ...JSON_TYPE, 'content-length': promised });
    await exchange.write(bytes);
    exchange.fin();
  };

export const html: Answer = json('<!doctype html><title>Welcome</title>', { headers: { 'content-type': 'text/html' } });

/** Well-formed HTTP around JSON that breaks off. */
export const truncatedJson: Answer = json('{"id":"chatcmpl-fake","choices":[{"ind');

export const redirect = (location: string, code = 307): Answer => json('', { status: code, headers: { location } });

/** A small compressed body that inflates to `bytes` zeros. */
export const gzipBomb =
  (bytes: number): Answer =>
  async (exchange) => {
    const body = gzipOfZeros(bytes);
    await exchange.head(200, { ...JSON_TYPE, 'content-encoding': 'gzip', 'content-length': body.length });
    await exchange.end(body);
  };

/** Answers as `answer` does, then closes the kept-alive connection without having said so. */
export const thenCloseIdle =
  (answer: Answer): Answer =>
  async (exchange) => {
    await answer(exchange);
    exchange.fin();
  };

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
