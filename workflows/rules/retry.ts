/**
 * Whether and when to call the same target again (spec B1-B5). This is the one layer that retries.
 *
 * | failure                                             | class        | calls in all | wait                          |
 * |-----------------------------------------------------|--------------|--------------|-------------------------------|
 * | transport, timeout, malformed answer, 408, 5xx      | transient    | 1 + 3        | Retry-After, else backoff     |
 * | 429                                                 | rate_limited | 10           | Retry-After, else backoff     |
 * | any other status, configuration, oversized event    | fatal        | 1            | -                             |
 * | our own abort                                       | cancelled    | 1            | -                             |
 *
 * Each class has a budget of its own, and `maxCalls` bounds their sum. Backoff doubles with each
 * failure of the class from `baseDelayMs` up to `maxDelayMs`, times a factor drawn from [0.5, 1].
 * Retry-After is kept to the millisecond, but no wait is ever longer than `maxDelayMs`.
 */
import type { FailureFacts } from './vocabulary';

export type { FailureFacts } from './vocabulary';
export { parseRetryAfter } from './retry-after';

export interface RetrySettings {
  /** Retries after the first try for a transient failure (B1). */
  readonly transientRetries: number;
  /** Calls in all when the upstream answers 429 (B2). */
  readonly rateLimitCalls: number;
  /** Calls in all to one target, whatever the classes (B5). */
  readonly maxCalls: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

export type FailureClass = 'transient' | 'rate_limited' | 'fatal' | 'cancelled';

export interface FailedCall {
  /** Class of the call that has just failed. */
  readonly failureClass: FailureClass;
  /** Classes of every failed call to this target, this one included; survives a takeover (B5). */
  readonly earlier: readonly FailureClass[];
  /** What `parseRetryAfter` read from the latest answer. */
  readonly retryAfterMs: number | null;
  readonly settings: RetrySettings;
  /** Uniform in [0, 1). */
  readonly random: number;
}

export type RetryDecision = { readonly retry: true; readonly delayMs: number } | { readonly retry: false };

/** B1-B3: the class of a failed call. */
export function classify(failure: FailureFacts): FailureClass {
  switch (failure.kind) {
    case 'transport':
    case 'timeout':
    case 'malformed':
      return 'transient';
    case 'status':
      return classifyStatus(failure.status ?? 0);
    case 'configuration':
    case 'oversized':
      return 'fatal';
    case 'aborted':
      return 'cancelled';
  }
}

function classifyStatus(status: number): FailureClass {
  if (status === 429) return 'rate_limited';
  return status === 408 || (status >= 500 && status <= 599) ? 'transient' : 'fatal';
}

/** The engine takes a delay of 0 for none at all and gives the activity up. */
const SHORTEST_DELAY_MS = 1;

/** B1, B2, B5: another call to the same target, or the end of its budget. */
export function decideRetry(call: FailedCall): RetryDecision {
  const { failureClass, earlier, settings } = call;
  const failures = earlier.filter((each) => each === failureClass).length;
  if (earlier.length >= settings.maxCalls || failures >= allowedCalls(failureClass, settings)) return { retry: false };
  const wishedMs = Math.min(call.retryAfterMs ?? backoff(failures, call), settings.maxDelayMs);
  return { retry: true, delayMs: Math.max(SHORTEST_DELAY_MS, Math.ceil(wishedMs)) };
}

/** B5: a target that had its budget before a takeover gets no further call; the plan goes on after it. */
export function isSpent(earlier: readonly FailureClass[], settings: RetrySettings): boolean {
  const latest = earlier.at(-1);
  if (latest === undefined) return false;
  if (latest === 'fatal') return true;
  return !decideRetry({ failureClass: latest, earlier, retryAfterMs: 0, settings, random: 0 }).retry;
}

function allowedCalls(failureClass: FailureClass, settings: RetrySettings): number {
  switch (failureClass) {
    case 'transient':
      return settings.transientRetries + 1;
    case 'rate_limited':
      return settings.rateLimitCalls;
    case 'fatal':
    case 'cancelled':
      return 0;
  }
}

function backoff(failures: number, { settings, random }: FailedCall): number {
  const ceiling = Math.min(settings.baseDelayMs * 2 ** (failures - 1), settings.maxDelayMs);
  return Math.round(ceiling * (0.5 + random / 2));
}
