/**
 * What a failed call means beyond its own target (spec D6, E, K).
 *
 * | failure                                | breaker counts it | another member may be tried |
 * |----------------------------------------|-------------------|-----------------------------|
 * | transport, timeout, malformed answer   | yes               | yes                         |
 * | configuration, oversized event         | yes               | yes                         |
 * | 5xx, and 1xx/3xx (no answer at all)    | yes               | yes                         |
 * | 429                                    | no (a cooldown)   | yes                         |
 * | 401, 402, 403, 404, 408                | no                | yes                         |
 * | any other 4xx: the request is at fault | no                | no                          |
 * | our own abort                          | no                | no                          |
 *
 * 402 (the account at this provider is out of credit) stands beside 401: it is about our account
 * there, so another provider may well serve.
 */
import type { FailureFacts } from './vocabulary';

const TARGET_AT_FAULT: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429]);

/** K: a request counts at most once, at its last try at the plugin; the caller sees to that. */
export function countsForBreaker(failure: FailureFacts): boolean {
  if (failure.kind === 'aborted') return false;
  return failure.kind !== 'status' || !isClientError(failure.status);
}

/** D6: only as long as the client has been given nothing; the caller sees to that. */
export function worthElsewhere(failure: FailureFacts): boolean {
  if (failure.kind === 'aborted') return false;
  return failure.kind !== 'status' || !isClientError(failure.status) || TARGET_AT_FAULT.has(failure.status);
}

function isClientError(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status <= 499;
}
