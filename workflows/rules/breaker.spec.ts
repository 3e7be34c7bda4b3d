import {
  CLOSED_BREAKER,
  nextChangeAt,
  passTime,
  retryAt,
  stepBreaker,
  successMatters,
  type BreakerEvent,
  type BreakerSettings,
  type BreakerState,
} from './breaker';
import { EMPTY_JOURNAL, passJournalTime, take, type BreakerJournal } from './breaker-journal';

/** Seconds, so that the tables below read like the spec. */
const settings: BreakerSettings = { windowMs: 1_440, threshold: 3, recoveryMs: 1_440, probeMs: 180 };

const failure = (at: number, token: string | null = null): BreakerEvent => ({
  type: 'failure',
  at,
  token,
  cause: 'timeout',
});
const success = (at: number, token: string | null = null): BreakerEvent => ({ type: 'success', at, token });
const neutral = (at: number, token: string | null = null): BreakerEvent => ({ type: 'neutral', at, token });
const permit = (at: number, token = 't1'): BreakerEvent => ({ type: 'permit', at, token });

function after(...events: BreakerEvent[]): BreakerState {
  return events.reduce((state, event) => stepBreaker(state, event, settings).state, CLOSED_BREAKER);
}

const opened = [failure(10), failure(20), failure(30)];
const at = (now: number, ...events: BreakerEvent[]): BreakerState => passTime(after(...events), now, settings).state;

test('E1: it starts closed', () => {
  expect(CLOSED_BREAKER).toMatchObject({ phase: 'closed', failures: [], lastFailureAt: null });
});

test('E2, G1: the third failure inside the window opens it', () => {
  expect(after(failure(10), failure(20))).toMatchObject({ phase: 'closed', failures: [10, 20] });
  expect(after(...opened)).toMatchObject({ phase: 'open', failures: [10, 20, 30], lastFailureAt: 30 });
  const { transitions } = stepBreaker(after(failure(10), failure(20)), failure(30), settings);
  expect(transitions).toEqual([{ from: 'closed', to: 'open', at: 30, cause: 'timeout' }]);
});

test('E2, G2: a success clears the count', () => {
  expect(after(failure(10), failure(20), success(25), failure(30), failure(40)).phase).toBe('closed');
  expect(after(failure(10), failure(20), success(25))).toMatchObject({ failures: [], lastFailureAt: null });
});

test('E2, G3: failures spread just over the window leave it closed', () => {
  expect(after(failure(0), failure(720), failure(1_440)).phase).toBe('closed');
  expect(after(failure(1), failure(720), failure(1_440)).phase).toBe('open');
  expect(at(2_200, failure(0), failure(720)).failures).toEqual([]);
});

test('K: what is neutral (429, other 4xx, a client that left) never counts', () => {
  expect(after(...Array.from({ length: 100 }, (_, index) => neutral(index)))).toEqual(CLOSED_BREAKER);
});

test('E3: it stays open until a cooldown after the last failure, then is half-open', () => {
  expect(retryAt(after(...opened), settings)).toBe(1_470);
  expect(at(1_469, ...opened).phase).toBe('open');
  expect(at(1_470, ...opened).phase).toBe('half_open');
  expect(passTime(after(...opened), 1_470, settings).transitions).toEqual([
    { from: 'open', to: 'half_open', at: 1_470, cause: 'recovery_timeout' },
  ]);
});

test('E3: a request that was under way when it opened and fails later moves the last failure', () => {
  expect(retryAt(after(...opened, failure(500)), settings)).toBe(1_940);
  expect(after(...opened, success(500)).phase).toBe('open');
});

test('E3, G4, T47: exactly one token is out, whoever asks', () => {
  const probing = after(...opened, permit(1_500, 'a'));
  expect(probing.probe).toEqual({ token: 'a', deadlineAt: 1_680 });
  for (let asking = 0; asking < 100; asking += 1) {
    expect(stepBreaker(probing, permit(1_501, `b${asking}`), settings).state.probe?.token).toBe('a');
  }
});

test('E3: the probe’s success closes and clears, its failure opens and restarts the cooldown', () => {
  const probing = [...opened, permit(1_500)];
  expect(after(...probing, success(1_550, 't1'))).toEqual({ ...CLOSED_BREAKER, clearedAt: 1_550 });
  expect(retryAt(after(...probing, failure(1_550, 't1')), settings)).toBe(2_990);
});

test('E3, G5: a neutral outcome gives the token back', () => {
  const state = after(...opened, permit(1_500), neutral(1_510, 't1'));
  expect(state).toMatchObject({ phase: 'half_open', probe: null });
  expect(stepBreaker(state, permit(1_511, 't2'), settings).state.probe?.token).toBe('t2');
});

test('E3, T44: a probe that hangs is over at its deadline, and its late result changes nothing', () => {
  const hung = at(1_680, ...opened, permit(1_500));
  expect(hung).toMatchObject({ phase: 'open', lastFailureAt: 1_680, probe: null });
  for (const late of [success(2_000, 't1'), failure(2_000, 't1'), neutral(2_000, 't1')]) {
    expect(stepBreaker(hung, late, settings).state).toEqual(hung);
  }
  const again = passTime(hung, 3_120, settings).state;
  expect(again.phase).toBe('half_open');
  const second = stepBreaker(again, permit(3_121, 't2'), settings).state;
  expect(stepBreaker(second, success(3_122, 't1'), settings).state).toEqual(second);
  expect(stepBreaker(second, success(3_122, 't2'), settings).state.phase).toBe('closed');
});

test('K: a probe whose answer has begun may take as long as its request may', () => {
  const state = after(...opened, permit(1_500), { type: 'answering', at: 1_600, token: 't1', until: 5_100 });
  expect(passTime(state, 5_099, settings).state.phase).toBe('half_open');
  expect(passTime(state, 5_100, settings).state).toMatchObject({ phase: 'open', lastFailureAt: 5_100 });
});

test('E3: half-open believes the probe alone', () => {
  const probing = after(...opened, permit(1_500));
  for (const other of [success(1_510), failure(1_510), success(1_510, 'x'), failure(1_510, 'x')]) {
    expect(stepBreaker(probing, other, settings).state).toEqual(probing);
  }
});

test('E5: an operator’s reset closes it from every state, and forgives what was under way', () => {
  const reset: BreakerEvent = { type: 'reset', at: 2_000, cause: 'operator' };
  for (const events of [opened, [...opened, permit(1_500)], [failure(10)]]) {
    expect(after(...events, reset, failure(1_999))).toEqual({ ...CLOSED_BREAKER, clearedAt: 2_000 });
  }
});

test('F3: a trip opens it from every state', () => {
  const trip: BreakerEvent = { type: 'trip', at: 2_000, cause: 'recovery_exhausted' };
  for (const events of [[], opened, [...opened, permit(1_500)]]) {
    expect(after(...events, trip)).toMatchObject({ phase: 'open', lastFailureAt: 2_000, probe: null });
  }
});

test('E: a closed circuit without failures never needs to be looked at, nor told of a success', () => {
  expect(nextChangeAt(CLOSED_BREAKER, settings)).toBeNull();
  expect(successMatters(CLOSED_BREAKER)).toBe(false);
  expect(successMatters(after(failure(1)))).toBe(true);
  expect(successMatters(after(...opened))).toBe(true);
});

describe('several processes', () => {
  const numbered = (events: readonly BreakerEvent[], from = 1) =>
    events.map((event, index) => ({ number: from + index, event }));

  test('E: failures of two processes add up', () => {
    const one = take(EMPTY_JOURNAL, 'p1', numbered([failure(10), failure(20)]), settings);
    const two = take(one.journal, 'p2', numbered([failure(15)]), settings);
    expect(two.journal).toMatchObject({
      state: { phase: 'open', failures: [10, 15, 20] },
      applied: { p1: 2, p2: 1 },
      revision: 2,
    });
  });

  test('E: a batch that arrives twice counts once', () => {
    const batch = numbered([failure(10), failure(20)]);
    const once = take(EMPTY_JOURNAL, 'p1', batch, settings).journal;
    const twice = take(once, 'p1', batch, settings).journal;
    expect(twice.state).toEqual(once.state);
    expect(take(twice, 'p1', numbered([failure(30)], 3), settings).journal.state.phase).toBe('open');
  });

  test('E: it remembers only the processes that reported last', () => {
    let journal: BreakerJournal = EMPTY_JOURNAL;
    for (let process = 1; process <= 200; process += 1) {
      journal = take(journal, `p${process}`, numbered([neutral(process)]), settings).journal;
    }
    expect(Object.keys(journal.applied)).toHaveLength(64);
    expect(journal.applied.p200).toBe(1);
  });

  test('E: time passes there as well, and only a change is a new revision', () => {
    const { journal } = take(EMPTY_JOURNAL, 'p1', numbered(opened), settings);
    expect(passJournalTime(journal, 1_000, settings).journal).toBe(journal);
    expect(passJournalTime(journal, 1_470, settings).journal).toMatchObject({
      revision: 2,
      state: { phase: 'half_open' },
    });
  });
});
