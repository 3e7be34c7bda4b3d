import { reconnectDelayMs } from './reconnect-policy';

test('H: reconnects after 1 s, doubling to at most 30 s', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 40, 4_000].map((attempt) => reconnectDelayMs(attempt, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
});

test('H: jitter takes off a quarter at most, and never goes below 1 s', () => {
  const shortest = [0, 1, 2, 5].map((attempt) => reconnectDelayMs(attempt, () => 0));
  expect(shortest).toEqual([1_000, 1_500, 3_000, 22_500]);
});

test('H: two pages that lost the server together come back apart', () => {
  expect(reconnectDelayMs(4, () => 0.1)).not.toBe(reconnectDelayMs(4, () => 0.9));
});
