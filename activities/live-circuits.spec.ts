import type { BreakerJournal, NumberedEvent } from '../workflows/rules/breaker-journal';
import { EMPTY_JOURNAL, passJournalTime, take } from '../workflows/rules/breaker-journal';
import type { Permit } from './circuits';
import { LiveCircuits } from './live-circuits';

const SETTINGS = { windowMs: 60_000, threshold: 3, recoveryMs: 1_000, probeMs: 500 };
const CLOSED: Permit = { kind: 'closed' };

/** A breaker workflow that can be away, and the circuits of a process that reports to it. */
function bench() {
  const clock = { now: 1_000 };
  const engine = { away: false, journal: EMPTY_JOURNAL };
  const send = (_pluginId: string, events: readonly NumberedEvent[]): Promise<BreakerJournal> => {
    if (engine.away) return Promise.reject(new Error('away'));
    const passed = passJournalTime(engine.journal, clock.now, SETTINGS).journal;
    engine.journal = take(passed, 'me', events, SETTINGS).journal;
    return Promise.resolve(engine.journal);
  };
  const alone: string[] = [];
  const circuits = new LiveCircuits({
    settings: SETTINGS,
    source: 'me',
    send,
    onOpenAlone: (pluginId) => alone.push(pluginId),
    now: () => clock.now,
  });
  const fail = (permit: Permit = CLOSED): Promise<void> =>
    circuits.report('p', permit, 'failure', { code: 'transport' });
  return { clock, engine, circuits, fail, alone };
}

async function halfOpen(): Promise<ReturnType<typeof bench> & { readonly permit: Permit }> {
  const world = bench();
  for (let failed = 0; failed < SETTINGS.threshold; failed += 1) await world.fail();
  world.clock.now += SETTINGS.recoveryMs;
  const permit = await world.circuits.permit('p', 'probe');
  expect(permit.kind).toBe('probe');
  return { ...world, permit };
}

test('E3, K: a probe that says nothing is over at its deadline', async () => {
  const { clock, circuits } = await halfOpen();
  clock.now += SETTINGS.probeMs;
  expect(circuits.view('p').state).toBe('open');
  circuits.stop();
});

test('E3: a probe that has begun to stream is bounded by its request’s deadline, and can close the circuit', async () => {
  const { clock, circuits, engine, permit } = await halfOpen();
  circuits.answering('p', permit, clock.now + 10_000);
  clock.now += 9_000;
  expect(circuits.view('p')).toMatchObject({ state: 'half_open', probing: true });
  expect(await circuits.permit('p', 'another')).toMatchObject({ kind: 'refused' });
  await circuits.report('p', permit, 'success', { code: null });
  await new Promise((resolve) => setImmediate(resolve));
  expect([circuits.view('p').state, engine.journal.state.phase]).toEqual(['closed', 'closed']);
  circuits.stop();
});

test('E3: past its request’s deadline it counts as hung all the same', async () => {
  const { clock, circuits, permit } = await halfOpen();
  circuits.answering('p', permit, clock.now + 10_000);
  clock.now += 10_000;
  expect(circuits.view('p').state).toBe('open');
  circuits.stop();
});

test('E: with the engine away the third failure opens by the local rule; the workflow agrees once it is back', async () => {
  jest.useFakeTimers();
  try {
    const { engine, circuits, fail, alone } = bench();
    engine.away = true;
    const told = [fail(), fail(), fail()];
    expect(circuits.view('p').state).toBe('open');
    await jest.advanceTimersByTimeAsync(1_000);
    await Promise.all(told);
    expect(engine.journal.state.phase).toBe('closed');
    expect(new Set(alone)).toEqual(new Set(['p']));
    engine.away = false;
    circuits.flush();
    await jest.advanceTimersByTimeAsync(0);
    expect(engine.journal.state).toMatchObject({ phase: 'open', failures: { length: 3 } });
    expect(circuits.view('p')).toMatchObject({ state: 'open', failureCount: 3 });
    expect(circuits.unconfirmed()).toEqual([]);
    circuits.stop();
  } finally {
    jest.useRealTimers();
  }
});
