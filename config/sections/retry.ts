import { count, seconds, section } from '../setting';

export const retry = section('Retries against one target (spec B).', {
  BASE_DELAY_SEC: seconds(1, 'First wait before a retry; it doubles from there, with jitter.'),
  MAX_DELAY_SEC: seconds(30, 'Longest wait, whatever the backend asks for in Retry-After.'),
  TRANSIENT_RETRIES: count(3, 0, 'calls', 'Retries after the first call for transport errors, timeouts, 5xx and 408.'),
  RATE_LIMIT_CALLS: count(10, 1, 'calls', 'Calls in all while the backend answers 429.'),
  MAX_CALLS: count(13, 1, 'calls', 'Calls in all to one target for one request, whatever the failures.'),
});
