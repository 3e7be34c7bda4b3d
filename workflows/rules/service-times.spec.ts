import fc from 'fast-check';
import { estimatedWaitMs, ServiceTimes } from './service-times';

describe('the estimated wait (A)', () => {
  test.each([
    { ahead: 0, running: 0, places: 2, serviceMs: null, waitMs: 0 },
    { ahead: 1, running: 0, places: 2, serviceMs: 500, waitMs: 0 },
    { ahead: 0, running: 2, places: 2, serviceMs: 500, waitMs: 250 },
    { ahead: 3, running: 2, places: 2, serviceMs: 500, waitMs: 1_000 },
    { ahead: 3, running: 1, places: 2, serviceMs: 500, waitMs: 750 },
    { ahead: 4, running: 2, places: 2, serviceMs: null, waitMs: null },
  ])('A: $ahead ahead, $running of $places running at $serviceMs ms → $waitMs', ({ waitMs, ...facts }) => {
    expect(estimatedWaitMs(facts)).toBe(waitMs);
  });

  test('A: further back never waits shorter, more places never longer', () => {
    const facts = fc.record({
      ahead: fc.nat(1_000),
      running: fc.nat(64),
      places: fc.integer({ min: 1, max: 64 }),
      serviceMs: fc.nat(60_000),
    });
    fc.assert(
      fc.property(facts, (known) => {
        const wait = estimatedWaitMs(known)!;
        expect(estimatedWaitMs({ ...known, ahead: known.ahead + 1 })!).toBeGreaterThanOrEqual(wait);
        expect(estimatedWaitMs({ ...known, places: known.places + 1 })!).toBeLessThanOrEqual(wait);
      }),
    );
  });

  test('A: the mean follows what calls take by now, each plugin by itself', () => {
    const times = new ServiceTimes();
    expect(times.of('p')).toBeNull();
    times.add('p', 1_000);
    expect(times.of('p')).toBe(1_000);
    for (let call = 0; call < 30; call += 1) times.add('p', 100);
    expect(times.of('p')).toBeLessThan(105);
    expect(times.of('q')).toBeNull();
  });
});
