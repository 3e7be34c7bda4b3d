import fc from 'fast-check';
import { classify, decideRetry, type FailureClass, type RetrySettings } from './retry';

const settings: RetrySettings = {
  transientRetries: 3,
  rateLimitCalls: 10,
  maxCalls: 13,
  baseDelayMs: 1_000,
  maxDelayMs: 30_000,
};

/** Plays a target that fails with these classes in turn; returns the waits until it is given up. */
function play(classes: readonly FailureClass[], retryAfterMs: number | null = null, random = 0): number[] {
  const earlier: FailureClass[] = [];
  const waits: number[] = [];
  for (const failureClass of classes) {
    earlier.push(failureClass);
    const decision = decideRetry({ failureClass, earlier, retryAfterMs, settings, random });
    if (!decision.retry) return waits;
    waits.push(decision.delayMs);
  }
  return waits;
}

const forever = (failureClass: FailureClass): FailureClass[] => Array<FailureClass>(50).fill(failureClass);

test.each([
  [{ kind: 'transport' }, 'transient'],
  [{ kind: 'timeout' }, 'transient'],
  [{ kind: 'malformed' }, 'transient'],
  [{ kind: 'status', status: 408 }, 'transient'],
  [{ kind: 'status', status: 500 }, 'transient'],
  [{ kind: 'status', status: 599 }, 'transient'],
  [{ kind: 'status', status: 429 }, 'rate_limited'],
  [{ kind: 'status', status: 301 }, 'fatal'],
  [{ kind: 'status', status: 600 }, 'fatal'],
  [{ kind: 'status' }, 'fatal'],
  [{ kind: 'configuration' }, 'fatal'],
  [{ kind: 'oversized' }, 'fatal'],
  [{ kind: 'aborted' }, 'cancelled'],
] as const)('B1-B3: %j is %s', (failure, expected) => {
  expect(classify(failure)).toBe(expected);
});

test.each([400, 401, 403, 404, 409, 413, 422])('T30: a %i ends after one call', (status) => {
  expect(classify({ kind: 'status', status })).toBe('fatal');
  expect(play(forever('fatal'))).toEqual([]);
});

test('B1: a target that always fails is called four times, waiting 1, 2 and 4 s before jitter', () => {
  expect(play(forever('transient'), null, 0.999_999_999)).toEqual([1_000, 2_000, 4_000]);
  expect(play(forever('transient'), null, 0)).toEqual([500, 1_000, 2_000]);
});

test('T29, D12: a target that always answers 429 is called ten times, no wait beyond 30 s', () => {
  const waits = play(forever('rate_limited'), null, 0.999_999_999);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
});

test('T27: a Retry-After of a day waits exactly the ceiling', () => {
  expect(play(['rate_limited'], 86_400_000, 0.3)).toEqual([30_000]);
});

test('T26, D10: Retry-After is kept to the millisecond, whatever the jitter', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30_000 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (ms, random) => {
        expect(play(['rate_limited'], ms, random)).toEqual([ms]);
      },
    ),
  );
});

test.each([0, 0.2, -1])('D11: a Retry-After of %d ms is a delay of 1 ms: the engine knows no shorter one', (ms) => {
  expect(play(['rate_limited'], ms, 0.5)).toEqual([1]);
});

test('B1: every backoff lies in the upper half of its doubled base, capped', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (nth, random) => {
        const earlier = forever('rate_limited').slice(0, nth);
        const decision = decideRetry({ failureClass: 'rate_limited', earlier, retryAfterMs: null, settings, random });
        const full = Math.min(1_000 * 2 ** (nth - 1), 30_000);
        expect(decision).toEqual({ retry: true, delayMs: expect.any(Number) });
        if (!decision.retry) return;
        expect(decision.delayMs).toBeGreaterThanOrEqual(full / 2);
        expect(decision.delayMs).toBeLessThanOrEqual(full);
      },
    ),
  );
});

test('B5, T33: whatever the order of failures, no class outlives its budget and 13 calls are the most', () => {
  const classes = fc.array(fc.constantFrom<FailureClass>('transient', 'rate_limited'), {
    minLength: 20,
    maxLength: 40,
  });
  fc.assert(
    fc.property(classes, (sequence) => {
      const calls = sequence.slice(0, play(sequence).length + 1);
      expect(calls.length).toBeLessThanOrEqual(13);
      expect(calls.filter((each) => each === 'transient').length).toBeLessThanOrEqual(4);
      expect(calls.filter((each) => each === 'rate_limited').length).toBeLessThanOrEqual(10);
      const spent = calls.filter((each) => each === calls.at(-1)).length;
      expect([4, 10]).toContain(spent);
    }),
  );
});

test('B5: each class doubles by its own count', () => {
  expect(play(['rate_limited', 'rate_limited', 'transient'], null, 0)).toEqual([500, 1_000, 500]);
});

test('B5: the bound on calls in all holds below the budgets of the classes', () => {
  const earlier: FailureClass[] = ['rate_limited', 'transient', 'rate_limited'];
  const call = { failureClass: 'rate_limited' as const, retryAfterMs: null, random: 0 };
  expect(decideRetry({ ...call, earlier, settings: { ...settings, maxCalls: 4 } }).retry).toBe(true);
  expect(decideRetry({ ...call, earlier, settings: { ...settings, maxCalls: 3 } }).retry).toBe(false);
});
