/**
 * Recognises a backend's error inside a 2xx answer: a JSON body or one event of a stream (spec K; case T18).
 *
 * | answer                                                        | failure                       |
 * |---------------------------------------------------------------|-------------------------------|
 * | truthy `error`, or `object: "error"`                          | it is one                     |
 * | its `code` or `status` is an HTTP error status, also as text  | kind `status` with that one   |
 * | its `code` or `type` is a known name                          | kind `status`, see the table  |
 * | neither                                                       | kind `malformed`              |
 */
import type { FailureFacts } from './vocabulary';

/** A failed call with what can be said about it. Messages come from the backend: redact before storing. */
export interface DescribedFailure extends FailureFacts {
  readonly message: string;
  /** The answer's text, cut at 4 KiB. */
  readonly body?: string;
}

const BODY_LIMIT = 4_096;

const KNOWN_NAMES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['insufficient_quota', 429],
  ['too_many_requests', 429],
  ['invalid_api_key', 401],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['overloaded_error', 503],
  ['server_error', 500],
  ['internal_error', 500],
]);

/** The failure that `answer` (parsed from `text`) reports, or null when it reports none. */
export function reportedFailure(answer: Readonly<Record<string, unknown>>, text: string): DescribedFailure | null {
  const error = answer['error'] || (answer['object'] === 'error' ? answer : null);
  if (!error) return null;
  const details = isRecord(error) ? error : { message: error };
  const status = statusOf(details);
  const facts: FailureFacts = status === null ? { kind: 'malformed' } : { kind: 'status', status };
  return { ...facts, message: messageOf(details), body: text.slice(0, BODY_LIMIT) };
}

/** An answer that is no answer at all. */
export function malformed(message: string, text?: string): DescribedFailure {
  return { kind: 'malformed', message, ...(text === undefined ? {} : { body: text.slice(0, BODY_LIMIT) }) };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function statusOf(details: Readonly<Record<string, unknown>>): number | null {
  for (const field of ['status', 'status_code', 'code']) {
    const value = Number(details[field] ?? NaN);
    if (Number.isInteger(value) && value >= 400 && value <= 599) return value;
  }
  return KNOWN_NAMES.get(details['code']) ?? KNOWN_NAMES.get(details['type']) ?? null;
}

function messageOf(details: Readonly<Record<string, unknown>>): string {
  const message = details['message'];
  return typeof message === 'string' && message !== '' ? message : 'the backend reported an error without a message';
}
