/**
 * What the client is told when a backend's failure ends its request (spec B3, K; cases T13, T30).
 *
 * | failure                                   | nothing given yet                     | part of the answer given      |
 * |-------------------------------------------|---------------------------------------|-------------------------------|
 * | 401, 403                                  | `upstream_authentication_failed`, 502 | `upstream_stream_interrupted` |
 * | 429, budget spent                         | `rate_limit_exceeded`, 429            | `upstream_stream_interrupted` |
 * | 402, 407, 5xx, other non-4xx              | `bad_upstream_response`, 502          | `upstream_stream_interrupted` |
 * | 408                                       | `upstream_timeout`, 504               | `upstream_stream_interrupted` |
 * | any other 4xx                             | `upstream_rejected`, the same status  | `upstream_stream_interrupted` |
 * | timeout                                   | `upstream_timeout`, 504               | `upstream_timeout`            |
 * | transport: no answer at all               | `upstream_unavailable`, 503           | `upstream_stream_interrupted` |
 * | malformed, configuration                  | `bad_upstream_response`, 502          | `upstream_stream_interrupted` |
 * | oversized event                           | `stream_event_too_large`              | `stream_event_too_large`      |
 * | our own abort                             | `cancelled`                           | `cancelled`                   |
 *
 * A 402 or 407 is about the operator's account or proxy: it is never passed on as the client's own.
 */
import type { FailureFacts } from './vocabulary';

export type FailureCode =
  | 'upstream_authentication_failed'
  | 'upstream_rejected'
  | 'rate_limit_exceeded'
  | 'upstream_timeout'
  | 'upstream_unavailable'
  | 'bad_upstream_response'
  | 'upstream_stream_interrupted'
  | 'stream_event_too_large'
  | 'cancelled';

export interface FailureReport {
  /** A code of the error catalogue, which gives it its usual HTTP status. */
  readonly code: FailureCode;
  /** The backend's own status, where the client is to see that one (with the backend's message). */
  readonly passStatus?: number;
}

export function reportFailure(failure: FailureFacts, given: boolean): FailureReport {
  switch (failure.kind) {
    case 'aborted':
      return { code: 'cancelled' };
    case 'oversized':
      return { code: 'stream_event_too_large' };
    case 'timeout':
      return { code: 'upstream_timeout' };
    case 'status':
      return given ? { code: 'upstream_stream_interrupted' } : reportStatus(failure.status ?? 0);
    case 'transport':
      return { code: given ? 'upstream_stream_interrupted' : 'upstream_unavailable' };
    case 'malformed':
    case 'configuration':
      return { code: given ? 'upstream_stream_interrupted' : 'bad_upstream_response' };
  }
}

function reportStatus(status: number): FailureReport {
  switch (status) {
    case 401:
    case 403:
      return { code: 'upstream_authentication_failed' };
    case 402:
    case 407:
      return { code: 'bad_upstream_response' };
    case 408:
      return { code: 'upstream_timeout' };
    case 429:
      return { code: 'rate_limit_exceeded', passStatus: 429 };
    default:
      if (status < 400 || status > 499) return { code: 'bad_upstream_response' };
      return { code: 'upstream_rejected', passStatus: status };
  }
}
