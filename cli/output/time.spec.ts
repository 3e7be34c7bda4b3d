import { duration, instant } from './time';

test.each([
  [null, '-'],
  [-5, '0ms'],
  [12, '12ms'],
  [1234, '1.2s'],
  [59_999, '59s'],
  [61_000, '1m1s'],
  [3_700_000, '1h1m'],
  [47 * 3_600_000, '47h0m'],
  [72 * 3_600_000, '3d'],
])('%j ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

test('an instant is in UTC, to the second', () => {
  expect(instant(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02 03:04:05Z');
  expect(instant(null)).toBe('-');
});
