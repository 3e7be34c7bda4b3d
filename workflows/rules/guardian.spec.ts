import { look, untilNextCheck, type PluginSight } from './guardian-check';
import {
  NEW_GUARDIAN,
  settle,
  steadyAt,
  stepGuardian,
  type GuardianEvent,
  type GuardianSettings,
  type GuardianState,
  type GuardianStep,
} from './guardian';

/** Seconds. */
const settings: GuardianSettings = {
  flappingWindowMs: 300,
  flappingMinTransitions: 6,
  maxRecoveryAttempts: 3,
  restartDelayMs: 1,
  maxRestartDelayMs: 20,
};

const up = (at: number): GuardianEvent => ({ type: 'healthy', at });
const down = (at: number): GuardianEvent => ({ type: 'unhealthy', at, ailment: 'ping_failed' });

function play(...events: GuardianEvent[]): GuardianStep {
  let state: GuardianState = NEW_GUARDIAN;
  const all: GuardianStep = { state, effects: [], notes: [] };
  return events.reduce((told, event) => {
    const step = stepGuardian(state, event, settings);
    state = step.state;
    return { state, effects: [...told.effects, ...step.effects], notes: [...told.notes, ...step.notes] };
  }, all);
}

const delays = (step: GuardianStep) =>
  step.effects.map((effect) => (effect.kind === 'recover' ? effect.delayMs : null));
const whats = (step: GuardianStep) => step.notes.map(({ what }) => what);

test('F3, G12: three recoveries in a row, then it is given up', () => {
  const step = play(down(0), down(20), down(40), down(60));
  expect(step.effects).toMatchObject([
    { kind: 'recover', attempt: 1 },
    { kind: 'recover', attempt: 2 },
    { kind: 'recover', attempt: 3 },
    { kind: 'escalate', attempts: 3, ailment: 'ping_failed' },
  ]);
  expect(step.state).toMatchObject({ quarantined: true, attempts: 3, health: 'unhealthy' });
  expect(whats(step)).toEqual(['unhealthy', 'recovering', 'recovering', 'recovering', 'quarantined']);
});

test('F3: a successful ping clears the count, so it is one in a row that matters', () => {
  const step = play(down(0), down(20), down(40), up(60), down(80), down(100), down(120));
  expect(step.state).toMatchObject({ quarantined: false, attempts: 3 });
  expect(play(down(0), down(20), up(40)).state.attempts).toBe(0);
});

test('F3: so does a reset of the circuit, and nothing else of it', () => {
  const step = play(down(0), down(20), { type: 'circuit_reset', at: 30 });
  expect(step.state).toMatchObject({ attempts: 0, health: 'unhealthy', quarantined: false });
  const after = play(down(0), down(20), down(40), down(60), { type: 'circuit_reset', at: 70 });
  expect(after.state).toMatchObject({ attempts: 0, quarantined: true });
});

test('F: the wait before a recovery doubles with each one in a row', () => {
  expect(delays(play(down(0), down(20), down(40), down(60)))).toEqual([1, 2, 4, null]);
});

test('F2, T56: the sixth change inside the window flags it, once, and doubles the wait', () => {
  const rounds = [0, 40, 80, 120].flatMap((at) => [up(at), down(at + 20)]);
  const step = play(...rounds);
  expect(step.state).toMatchObject({ flapping: true, quarantined: false });
  expect(whats(step).filter((what) => what === 'flapping')).toHaveLength(1);
  expect(delays(step)).toEqual([1, 1, 1, 2]);
});

test('F2: five changes do not, nor do six over more than the window', () => {
  expect(play(up(0), down(10), up(20), down(30), up(40), down(50)).state.flapping).toBe(false);
  const slow = [0, 130, 260, 390].flatMap((at) => [up(at), down(at + 65)]);
  expect(play(...slow).state.flapping).toBe(false);
});

test('F2: the flag stays while anything changes and comes down after a quiet window', () => {
  const { state } = play(...[0, 40, 80, 120].flatMap((at) => [up(at), down(at + 20)]));
  expect(steadyAt(state, settings)).toBe(440);
  expect(settle(state, 439, settings).flapping).toBe(true);
  expect(settle(state, 440, settings)).toMatchObject({ flapping: false, transitions: [] });
  expect(whats(stepGuardian(state, up(500), settings))).toEqual(['steady', 'healthy']);
});

test('F: what a first look finds is no change', () => {
  expect(play(up(0))).toMatchObject({ state: { health: 'healthy', transitions: [], lastPingAt: 0 }, notes: [] });
  expect(play(down(0)).state.transitions).toEqual([]);
});

test('F6: a quarantined plugin is not recovered; clearing lets it be looked at anew', () => {
  const step = play({ type: 'quarantined', at: 0 }, down(20));
  expect(step).toMatchObject({ state: { quarantined: true }, effects: [] });
  const cleared = stepGuardian(step.state, { type: 'quarantine_cleared', at: 30 }, settings);
  expect(cleared.state).toMatchObject({ quarantined: false, attempts: 0, health: 'unknown' });
  expect(whats(cleared)).toEqual(['quarantine_cleared']);
});

describe('one look', () => {
  const checks = { transitionalTimeoutMs: 900, stalledMs: 195 };
  const sight = (over: Partial<PluginSight>): PluginSight => ({
    backend: 'running',
    backendSince: 0,
    progressAt: [],
    ...over,
  });

  test('F1, T50: only an idle plugin is pinged', () => {
    expect(look(sight({}), checks, 1_000)).toEqual({ kind: 'ping' });
    expect(look(sight({ backend: null }), checks, 1_000)).toEqual({ kind: 'ping' });
    expect(look(sight({ progressAt: [990] }), checks, 1_000)).toEqual({ kind: 'leave' });
    expect(look(sight({ backend: 'stopped' }), checks, 1_000)).toEqual({ kind: 'leave' });
  });

  test.each(['starting', 'stopping'] as const)('G9: %s is fine for 900 s and then stuck', (backend) => {
    expect(look(sight({ backend }), checks, 899)).toEqual({ kind: 'leave' });
    expect(look(sight({ backend }), checks, 900)).toEqual({ kind: 'ailing', ailment: 'stuck_transition' });
  });

  test('F1: long-running work is judged by its progress, and one call that moves is enough', () => {
    const long = Array.from({ length: 8 }, () => 0);
    expect(look(sight({ progressAt: long }), checks, 194)).toEqual({ kind: 'leave' });
    expect(look(sight({ progressAt: long }), checks, 195)).toEqual({ kind: 'ailing', ailment: 'work_stalled' });
    expect(look(sight({ progressAt: [...long, 1_000_000] }), checks, 1_000_100)).toEqual({ kind: 'leave' });
  });

  test('F: a backend that failed needs no ping to be found', () => {
    expect(look(sight({ backend: 'error' }), checks, 1)).toEqual({ kind: 'ailing', ailment: 'backend_error' });
  });

  test('F1, G7: the interval is spread by a fifth either way', () => {
    expect([0, 0.5, 1].map((random) => untilNextCheck(20_000, random))).toEqual([16_000, 20_000, 24_000]);
  });
});
