import fc from 'fast-check';
import { NEW_GUARDIAN, stepGuardian, type GuardianEvent, type GuardianSettings, type GuardianState } from './guardian';

const settings: GuardianSettings = {
  flappingWindowMs: 60,
  flappingMinTransitions: 4,
  maxRecoveryAttempts: 3,
  restartDelayMs: 1,
  maxRestartDelayMs: 20,
};

/** Spec F2 and F3 as a person would keep the books: bad findings in a row, changes of late, a flag. */
class Books {
  /** Bad findings since the last thing that clears their count. */
  private inARow = 0;
  private held = false;
  private known: boolean | null = null;
  private changes: number[] = [];
  private flag = false;

  tell(event: GuardianEvent): string {
    this.grow(event.at);
    switch (event.type) {
      case 'healthy':
        this.turn(true, event.at);
        this.inARow = 0;
        return 'nothing';
      case 'unhealthy': {
        if (this.held) return 'nothing';
        this.turn(false, event.at);
        if (this.inARow === settings.maxRecoveryAttempts) {
          this.held = true;
          return `give up after ${this.inARow}`;
        }
        this.inARow += 1;
        return `recover ${this.inARow} after ${[0, 1, 2, 4][this.inARow]! * (this.flag ? 2 : 1)}`;
      }
      case 'circuit_reset':
        this.inARow = 0;
        return 'nothing';
      case 'quarantined':
        this.held = true;
        return 'nothing';
      case 'quarantine_cleared':
        this.held = false;
        this.inARow = 0;
        this.known = null;
        return 'nothing';
    }
  }

  summary(): string {
    const health = this.known === null ? 'unknown' : this.known ? 'healthy' : 'unhealthy';
    return [health, this.inARow, this.held, this.flag, this.changes.join()].join(' ');
  }

  /** A window without a change takes the flag away. */
  private grow(now: number): void {
    this.changes = this.changes.filter((at) => now - at < settings.flappingWindowMs);
    if (this.changes.length === 0) this.flag = false;
  }

  private turn(well: boolean, at: number): void {
    if (this.known !== null && this.known !== well) {
      this.changes.push(at);
      if (this.changes.length >= settings.flappingMinTransitions) this.flag = true;
    }
    this.known = well;
  }
}

const summary = ({ health, attempts, quarantined, flapping, transitions }: GuardianState): string =>
  [health, attempts, quarantined, flapping, transitions.join()].join(' ');

const KINDS = fc.oneof(
  { weight: 5, arbitrary: fc.constant('unhealthy' as const) },
  { weight: 4, arbitrary: fc.constant('healthy' as const) },
  { weight: 1, arbitrary: fc.constantFrom('circuit_reset' as const, 'quarantined' as const) },
  { weight: 2, arbitrary: fc.constant('quarantine_cleared' as const) },
);
const WAIT = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 15 }) },
  { weight: 1, arbitrary: fc.integer({ min: 50, max: 90 }) },
);

const RUNS = 1_000;
const STEPS = 100;

test('F2, F3: over 100,000 steps the rule and a model of the spec never disagree', () => {
  let steps = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.tuple(WAIT, KINDS), { minLength: STEPS, maxLength: STEPS }), (all) => {
      const books = new Books();
      let state = NEW_GUARDIAN;
      let at = 1_000;
      for (const [wait, type] of all) {
        at += wait;
        const event: GuardianEvent = type === 'unhealthy' ? { type, at, ailment: 'ping_failed' } : { type, at };
        const expected = books.tell(event);
        const step = stepGuardian(state, event, settings);
        state = step.state;
        const done = step.effects.map((effect) =>
          effect.kind === 'recover'
            ? `recover ${effect.attempt} after ${effect.delayMs}`
            : `give up after ${effect.attempts}`,
        );
        const told = `${done.join() || 'nothing'} | ${summary(state)}`;
        const wanted = `${expected} | ${books.summary()}`;
        // A matcher costs more than all the rest, 100,000 times.
        if (told !== wanted) expect(told).toBe(wanted);
        seen.add(expected.split(' ')[0]!);
        if (state.flapping) seen.add('flapping');
        steps += 1;
      }
    }),
    { numRuns: RUNS },
  );
  expect(steps).toBeGreaterThanOrEqual(RUNS * STEPS);
  expect([...seen].sort()).toEqual(['flapping', 'give', 'nothing', 'recover']);
}, 60_000);
