/** Two models that take turns in the memory of one local backend, queue and limits together (spec K). */
import fc from 'fast-check';
import { Limits } from './limits';
import type { Priority } from './vocabulary';
import { type QueueItem, ReadyQueue } from './ready-queue';

const AGING = { standardMs: 25_000, flexMs: 120_000 };
const PLUGIN = 'local';

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

/** More work than the backend can do, for as long as it lasts. */
const overload = fc
  .record({
    loadMs: fc.integer({ min: 200, max: 10_000 }),
    places: fc.integer({ min: 1, max: 3 }),
    /** Of a hundred requests, how many are for the first model. */
    share: fc.integer({ min: 2, max: 98 }),
    owners: fc.integer({ min: 1, max: 3 }),
    meanServiceMs: fc.integer({ min: 100, max: 3_000 }),
    /** Work offered for each place, of what it can do. */
    pressure: fc.double({ min: 1, max: 3, noNaN: true }),
    rolls: fc.array(fc.tuple(fc.nat(99), fc.nat(200), fc.nat(200), fc.nat(2)), { minLength: 400, maxLength: 400 }),
  })
  .map(({ rolls, share, owners, meanServiceMs, pressure, places, loadMs }): Load => {
    let at = 0;
    const arrivals = rolls.map(([model, service, gap, owner]): Arrival => {
      at += (meanServiceMs * (gap / 100)) / pressure / places;
      return {
        at,
        modelId: model < share ? 'a' : 'b',
        serviceMs: 1 + meanServiceMs * (service / 100),
        ownerId: `k${owner % owners}`,
      };
    });
    return { loadMs, places, arrivals };
  });

test('K: while both models have work waiting, loading takes at most 20 % of the busy time', () => {
  fc.assert(
    fc.property(overload, (load) => {
      const { busyMs, loadingMs } = simulate(load, load.arrivals.at(-1)!.at);
      // The latest load has not had the time to pay for itself, and the first one was not known to take so long.
      expect(loadingMs - 2 * load.loadMs).toBeLessThanOrEqual(0.2 * busyMs);
    }),
    { numRuns: 100 },
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
