import fc from 'fast-check';
import { mayRetryNow } from './retry-budget';

test('K: three retries run at once whatever else runs', () => {
  for (const running of [0, 1, 14, 19]) {
    expect([0, 1, 2, 3].map((retries) => mayRetryNow({ running, retries }))).toEqual([true, true, true, false]);
  }
});

test('K: beyond that no start makes retries more than a fifth of what runs', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), (running, retries) => {
      fc.pre(retries <= running && retries >= 3);
      expect(mayRetryNow({ running, retries })).toBe((retries + 1) * 5 <= running);
    }),
  );
});

test('K: a retry is only ever delayed: once enough of the others have ended it may run', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), (running, retries) => {
      fc.pre(retries <= running);
      let left = { running, retries };
      for (; !mayRetryNow(left); left = { running: left.running - 1, retries: left.retries - 1 }) {
        expect(left.retries).toBeGreaterThan(0);
      }
    }),
  );
});
