import { countsForBreaker, worthElsewhere } from './routing-failure';
import type { FailureFacts } from './vocabulary';

const status = (code: number): FailureFacts => ({ kind: 'status', status: code });

test.each<FailureFacts>([
  { kind: 'transport' },
  { kind: 'timeout' },
  { kind: 'malformed' },
  { kind: 'configuration' },
  { kind: 'oversized' },
  status(500),
  status(503),
  status(302),
])('K, D6: %j counts for the breaker and is worth another member', (failure) => {
  expect(countsForBreaker(failure)).toBe(true);
  expect(worthElsewhere(failure)).toBe(true);
});

test.each([401, 402, 403, 404, 408, 429])('D6, E: a %i is worth another member and neutral for the breaker', (code) => {
  expect(countsForBreaker(status(code))).toBe(false);
  expect(worthElsewhere(status(code))).toBe(true);
});

test.each([400, 405, 409, 413, 415, 422, 451])(
  'D6, T30: a %i ends the request and is neutral for the breaker',
  (code) => {
    expect(countsForBreaker(status(code))).toBe(false);
    expect(worthElsewhere(status(code))).toBe(false);
  },
);

test('E: our own abort is neutral and ends the request', () => {
  expect(countsForBreaker({ kind: 'aborted' })).toBe(false);
  expect(worthElsewhere({ kind: 'aborted' })).toBe(false);
});
