/** What the catalogue says of one code, and the four kinds of refusal there are. */
export type ErrorType =
  | 'invalid_request_error'
  | 'permission_error'
  | 'conflict'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'upstream_error'
  | 'server_error';

export interface ErrorEntry {
  readonly status: number;
  readonly type: ErrorType;
  /** Answered as `"transient": true`: the same request is expected to work a little later. */
  readonly transient: boolean;
  readonly shouldRetry: boolean | null;
  /** Seconds of `Retry-After` when the error itself brings none; null: no header then. */
  readonly retryAfterSec: number | null;
  readonly message: string;
  /** What the reader can do about it; the management API sends it as `hint`. */
  readonly hint: string | null;
}

type Words = readonly [message: string, hint?: string];

/** The request is at fault: repeating it unchanged can't help. */
export function request(status: number, ...[message, hint]: Words): ErrorEntry {
  const type = status === 403 ? 'permission_error' : status === 409 ? 'conflict' : 'invalid_request_error';
  // SDKs repeat a 409 by themselves unless told not to.
  const shouldRetry = status === 409 ? false : null;
  return { status, type, transient: false, shouldRetry, retryAfterSec: null, message, hint: hint ?? null };
}

/** Refused before anything was accepted; the same request may go through after `retryAfterSec`. */
export function later(status: 429 | 503, retryAfterSec: number, ...[message, hint]: Words): ErrorEntry {
  const type = status === 429 ? 'rate_limit_error' : 'server_error';
  return { status, type, transient: true, shouldRetry: true, retryAfterSec, message, hint: hint ?? null };
}

/** Our side can't serve it now and a quick repetition would not change that. */
export function server(status: number, ...[message, hint]: Words): ErrorEntry {
  return {
    status,
    type: 'server_error',
    transient: false,
    shouldRetry: false,
    retryAfterSec: null,
    message,
    hint: hint ?? null,
  };
}

/** The backend's doing, after our own tries are spent. */
export function upstream(status: number, ...[message, hint]: Words): ErrorEntry {
  return {
    status,
    type: 'upstream_error',
    transient: false,
    shouldRetry: false,
    retryAfterSec: null,
    message,
    hint: hint ?? null,
  };
}
