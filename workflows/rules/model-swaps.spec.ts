/** Two models that take turns in the memory of one local backend, queue and limits together (spec K). */
import fc from 'fast-check';
import { Limits } from './limits';
import type { Priority } from './vocabulary';
import { type QueueItem, ReadyQueue } from './ready-queue';

const AGING = { standardMs: 25_000, flexMs: 120_000 };
const PLUGIN = 'local';
const RUNS = 60;

interface Arrival {
  readonly at: number;
  readonly modelId: string;
  readonly serviceMs: number;
  readonly ownerId?: string;
  readonly priority?: Priority;
}

interface Load {
  readonly loadMs: number;
  /** MAX_CONCURRENT_TASKS. */
  readonly places: number;
  readonly arrivals: readonly Arrival[];
}

interface Outcome {
  readonly busyMs: number;
  readonly loadingMs: number;
  /** When each arrival's call began (its load included), by its number; missing: not before the end. */
  readonly startedAt: ReadonlyMap<number, number>;
}

/** Runs the arrivals until `untilMs`; what a load takes is known to the limits only once it has been measured. */
function simulate({ loadMs, places, arrivals }: Load, untilMs = Infinity): Outcome {
  const queue = new ReadyQueue<QueueItem>({ capacity: 100_000, aging: AGING });
  const limits = new Limits({
    maxRunningPerOwner: 0,
    maxRunningLocalBackends: 1,
    aging: AGING,
    plugin: () => ({ maxConcurrentTasks: places, local: true, oneModelAtATime: true }),
  });
  const items = arrivals.map(({ at, modelId, ownerId = 'k1', priority = 'standard' }, nth): QueueItem => ({
    taskId: `${nth}`,
    ownerId,
    pluginId: PLUGIN,
    modelId,
    priority,
    enqueuedAt: at,
  }));
  const running: { readonly item: QueueItem; readonly until: number }[] = [];
  const startedAt = new Map<number, number>();
  let [now, arrived, loaded, loadedAt, busyMs, loadingMs] = [0, 0, '', 0, 0, 0];
  let measured = true;
  for (;;) {
    while (arrived < items.length && items[arrived]!.enqueuedAt <= now) queue.enter(items[arrived++]!);
    for (const done of running.filter(({ until }) => until <= now)) {
      running.splice(running.indexOf(done), 1);
      limits.end(done.item, now);
    }
    if (!measured && loadedAt <= now) limits.loaded(PLUGIN, loaded, loadMs);
    measured ||= loadedAt <= now;
    queue.tick(now);
    for (;;) {
      const item = queue.next(now, limits.gate(queue.heads(), now));
      if (!item) break;
      limits.start(item, now);
      startedAt.set(Number(item.taskId), now);
      if (item.modelId !== loaded) {
        expect(running).toEqual([]);
        loaded = item.modelId;
        loadedAt = now + loadMs;
        loadingMs += loadMs;
        measured = false;
      }
      running.push({ item, until: Math.max(now, loadedAt) + arrivals[Number(item.taskId)]!.serviceMs });
    }
    const next = Math.min(
      ...running.map(({ until }) => until),
      measured ? Infinity : loadedAt,
      items[arrived]?.enqueuedAt ?? Infinity,
      queue.nextWakeAt(now) ?? Infinity,
    );
    if (next === Infinity || next >= untilMs) return { busyMs, loadingMs, startedAt };
    if (running.length > 0) busyMs += Math.max(next, now + 1) - now;
    now = Math.max(next, now + 1);
  }
}

/** Everything waits from the start, for both models. */
const backlog = fc
  .record({
    loadMs: fc.integer({ min: 200, max: 10_000 }),
    places: fc.integer({ min: 1, max: 3 }),
    /** Of a hundred requests, how many are for the first model. */
    share: fc.integer({ min: 10, max: 90 }),
    owners: fc.integer({ min: 1, max: 3 }),
    meanServiceMs: fc.integer({ min: 100, max: 3_000 }),
    rolls: fc.array(fc.tuple(fc.nat(99), fc.integer({ min: 50, max: 150 }), fc.nat(2)), {
      minLength: 300,
      maxLength: 300,
    }),
  })
  .map(({ rolls, share, owners, meanServiceMs, places, loadMs }): Load => {
    const arrivals = rolls.map(([model, service, owner]): Arrival => ({
      at: 0,
      modelId: model < share ? 'a' : 'b',
      serviceMs: meanServiceMs * (service / 100),
      ownerId: `k${owner % owners}`,
    }));
    return { loadMs, places, arrivals };
  });

/** When the first of the two models has nothing waiting any more. */
function oneIsDone(load: Load): number {
  const { startedAt } = simulate(load);
  const lastOf = (modelId: string): number =>
    Math.max(0, ...load.arrivals.map((arrival, nth) => (arrival.modelId === modelId ? startedAt.get(nth)! : 0)));
  return Math.min(lastOf('a'), lastOf('b'));
}

test('K: while both models have work waiting, loading takes at most 20 % of the busy time', () => {
  fc.assert(
    fc.property(backlog, (load) => {
      const { busyMs, loadingMs } = simulate(load, oneIsDone(load));
      // The latest load has not had the time to pay for itself, and the first one was not known to take so long.
      expect(loadingMs - 2 * load.loadMs).toBeLessThanOrEqual(0.2 * busyMs);
    }),
    { numRuns: RUNS },
  );
});

test('K: an aged request forces the swap, even when the other model never runs out of work', () => {
  const loadMs = 2_000;
  const many = Array.from({ length: 600 }, (_, nth): Arrival => ({ at: nth * 100, modelId: 'a', serviceMs: 150 }));
  const one: Arrival = { at: 150, modelId: 'b', serviceMs: 150 };
  const arrivals = [...many, one].sort((x, y) => x.at - y.at);
  const { startedAt } = simulate({ loadMs, places: 1, arrivals });
  const start = startedAt.get(arrivals.indexOf(one))!;
  expect(start).toBeGreaterThanOrEqual(one.at + AGING.standardMs);
  expect(start).toBeLessThanOrEqual(one.at + AGING.standardMs + 150);
});

test('K: a rare urgent request for the other model does not make its load come free', () => {
  const loadMs = 4_000;
  const many = Array.from({ length: 700 }, (_, nth): Arrival => ({
    at: nth * 230,
    modelId: 'a',
    serviceMs: 230,
    priority: 'flex',
  }));
  const rare = Array.from({ length: 30 }, (_, nth): Arrival => ({
    at: nth * 6_000 + 1,
    modelId: 'b',
    serviceMs: 300,
    ownerId: 'k2',
    priority: 'high',
  }));
  const arrivals = [...many, ...rare].sort((x, y) => x.at - y.at);
  const { busyMs, loadingMs } = simulate({ loadMs, places: 1, arrivals }, 160_000);
  // It is swapped all the same.
  expect(loadingMs).toBeGreaterThan(4 * loadMs);
  expect(loadingMs - 2 * loadMs).toBeLessThanOrEqual(0.2 * busyMs);
});
