import fc from 'fast-check';
import { SLOW_START, slotsNow, slowStartAfter, type SlowStart } from './slow-start';

type Outcome = 'success' | 'failure' | 'neutral';
const after = (...outcomes: Outcome[]): SlowStart => outcomes.reduce(slowStartAfter, SLOW_START);

test('F8: a plugin that comes back gets 1, 2, 4, 8 requests at once, a round each', () => {
  let ramp = SLOW_START;
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const limit = slotsNow(ramp, 8);
    rounds.push(limit);
    for (let done = 0; done < limit; done += 1) ramp = slowStartAfter(ramp, 'success');
  }
  expect(rounds).toEqual([1, 2, 4, 8, 8]);
});

test('F8: a failure starts anew, a neutral outcome changes nothing, and a plugin that was never away has all', () => {
  expect(slotsNow(after('success', 'success', 'failure'), 8)).toBe(1);
  expect(slotsNow(after('success', 'success', 'neutral'), 8)).toBe(3);
  expect(slotsNow(null, 8)).toBe(8);
});

test('F8: never more than the plugin’s slots, never none, and all of them after as many successes', () => {
  const outcomes = fc.array(fc.constantFrom<Outcome>('success', 'failure', 'neutral'), { maxLength: 60 });
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 1, max: 32 }), (all, slots) => {
      const limit = slotsNow(after(...all), slots);
      expect(limit).toBeGreaterThanOrEqual(1);
      expect(limit).toBeLessThanOrEqual(slots);
      expect(slotsNow(after(...all, ...Array<Outcome>(slots).fill('success')), slots)).toBe(slots);
    }),
  );
});
