import fc from 'fast-check';
import { Agenda } from './agenda';
import { jain, planOf } from './report';
import type { PlanInput, PlannedPlugin, PlanSettings, Stream } from './workload';

const HOUR_MS = 3_600_000;

const plugin = (over: Partial<PlannedPlugin> = {}): PlannedPlugin => ({
  id: 'p',
  maxConcurrentTasks: 4,
  local: false,
  oneModelAtATime: false,
  loadMs: 0,
  ...over,
});

const stream = (over: Partial<Stream> = {}): Stream => ({
  name: 's',
  pluginId: 'p',
  modelId: 'm',
  priority: 'standard',
  owners: 1,
  ratePerSec: 3,
  serviceMs: 1_000,
  distribution: 'exponential',
  spread: 1,
  ...over,
});

function input(streams: readonly Stream[], settings: Partial<PlanSettings> = {}, durationMs = HOUR_MS): PlanInput {
  return {
    streams,
    durationMs,
    settings: {
      capacity: 10_000,
      hardLimit: 0,
      maxRunningPerOwner: 0,
      maxRunningLocalBackends: 1,
      // Without aging, so that one class is first come, first served.
      aging: { standardMs: 0, flexMs: 0 },
      requestMs: HOUR_MS,
      plugins: [plugin()],
      ...settings,
    },
  };
}

/** Mean wait of M/M/c by Erlang's C formula, ms. */
function erlangWaitMs(ratePerSec: number, serviceMs: number, servers: number): number {
  const offered = (ratePerSec * serviceMs) / 1_000;
  let term = 1;
  let sum = 1;
  for (let n = 1; n < servers; n += 1) sum += term *= offered / n;
  const last = (term * offered) / servers / (1 - offered / servers);
  return ((last / (sum + last)) * serviceMs) / (servers - offered);
}

test.each([
  { servers: 1, ratePerSec: 0.6 },
  { servers: 4, ratePerSec: 3.2 },
  { servers: 16, ratePerSec: 13 },
])('plan: M/M/$servers at $ratePerSec/s waits as Erlang says', ({ servers, ratePerSec }) => {
  const plugins = [plugin({ maxConcurrentTasks: servers })];
  const hours = Math.ceil(60_000 / (ratePerSec * 3_600));
  const plan = planOf(input([stream({ ratePerSec })], { plugins }, hours * HOUR_MS), 1);
  const expected = erlangWaitMs(ratePerSec, 1_000, servers);
  expect(plan.streams[0]!.waitMs!.mean / expected).toBeGreaterThan(0.9);
  expect(plan.streams[0]!.waitMs!.mean / expected).toBeLessThan(1.1);
  expect(plan.plugins[0]!.utilisation).toBeCloseTo(ratePerSec / servers, 1);
  expect(plan.plugins[0]!.offered).toBeCloseTo(ratePerSec, 6);
  expect(plan.binding).toMatchObject({ limit: 'MAX_CONCURRENT_TASKS', plugin: 'p' });
});

test('plan: fixed service times wait half as long as exponential ones on one server (Pollaczek and Khinchine)', () => {
  const plugins = [plugin({ maxConcurrentTasks: 1 })];
  const waitOf = (distribution: Stream['distribution'], spread = 1): number =>
    planOf(input([stream({ ratePerSec: 0.7, distribution, spread })], { plugins }, 15 * HOUR_MS), 2).streams[0]!.waitMs!
      .mean;
  const exponential = waitOf('exponential');
  expect(waitOf('fixed') / exponential).toBeCloseTo(0.5, 1);
  // A lognormal of the same variance waits as long: the mean wait knows only the first two moments.
  expect(waitOf('lognormal') / exponential).toBeGreaterThan(0.85);
  expect(waitOf('lognormal') / exponential).toBeLessThan(1.15);
});

test('plan: a seed gives the same plan, another seed another one', () => {
  const workload = input([stream({ owners: 3 })]);
  expect(planOf(workload, 5)).toEqual(planOf(workload, 5));
  expect(planOf(workload, 6)).not.toEqual(planOf(workload, 5));
});

test('plan: nobody waits where there is room, and no limit binds', () => {
  const plan = planOf(input([stream({ ratePerSec: 0.01 })], { plugins: [plugin({ maxConcurrentTasks: 50 })] }), 1);
  expect(plan.streams[0]!.waitMs).toMatchObject({ p50: 0, p99: 0 });
  expect(plan.binding).toBeNull();
});

test('plan: overload is refused after 10 s at the door of a short queue', () => {
  const plan = planOf(input([stream({ ratePerSec: 8 })], { capacity: 4 }), 1);
  const { requests, started, refused } = plan.streams[0]!;
  expect(refused.queueFull / requests).toBeGreaterThan(0.4);
  expect(plan.queueFullShare).toBeGreaterThan(0.9);
  expect(requests - started - refused.queueFull).toBeLessThan(200);
  expect(plan.plugins[0]!.utilisation).toBeGreaterThan(0.98);
});

test('plan: a hard limit refuses, a deadline drops', () => {
  const hard = planOf(input([stream({ ratePerSec: 8 })], { hardLimit: 10 }), 1).streams[0]!;
  expect(hard.refused.capacityExceeded).toBeGreaterThan(0);
  expect(hard.refused.queueFull).toBe(0);
  const late = planOf(input([stream({ ratePerSec: 8 })], { requestMs: 5_000 }), 1).streams[0]!;
  expect(late.refused.deadlineExceeded).toBeGreaterThan(0);
  expect(late.waitMs!.p99).toBeLessThanOrEqual(5_000);
});

test("plan: an owner's limit binds where the plugin has room", () => {
  const plugins = [plugin({ maxConcurrentTasks: 100 })];
  const plan = planOf(input([stream({ ratePerSec: 3, owners: 1 })], { plugins, maxRunningPerOwner: 2 }), 1);
  expect(plan.binding).toMatchObject({ limit: 'MAX_RUNNING_TASKS_PER_OWNER', plugin: null });
});

test('plan: models that take turns in memory are loaded at most for a fifth of the busy time', () => {
  const local = plugin({ maxConcurrentTasks: 1, local: true, oneModelAtATime: true, loadMs: 3_000 });
  const streams = ['a', 'b'].map((modelId) =>
    stream({ name: modelId, modelId, ratePerSec: 0.4, distribution: 'fixed' }),
  );
  const aging = { standardMs: 25_000, flexMs: 120_000 };
  const plan = planOf(input(streams, { plugins: [local], aging }), 1);
  const [use] = plan.plugins;
  expect(use!.loads).toBeGreaterThan(10);
  expect((use!.loads * 3_000) / (use!.utilisation * HOUR_MS)).toBeLessThan(0.21);
});

test('plan: F5 Jain fairness of owners is at least 0.9 while one asks ten times as often', () => {
  const flood = stream({ name: 'flood', ratePerSec: 20, owners: 1 });
  const others = Array.from({ length: 4 }, (_, at) => stream({ name: `o${at}`, ratePerSec: 2, owners: 1 }));
  const aging = { standardMs: 25_000, flexMs: 120_000 };
  const plan = planOf(input([flood, ...others], { capacity: 64, aging }, HOUR_MS / 4), 3);
  expect(plan.fairness).toBeGreaterThanOrEqual(0.9);
});

test('plan: Jain is 1 for equals and 1/n for one who has it all', () => {
  expect(jain([3, 3, 3])).toBe(1);
  expect(jain([1, 0, 0, 0])).toBe(0.25);
  expect(jain([7])).toBeNull();
});

test('plan: the agenda gives things back by time, then as they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (times) => {
      const agenda = new Agenda<readonly [number, number]>();
      times.forEach((at, index) => agenda.add(at, [at, index]));
      const taken = times.map(() => agenda.take()!);
      expect(taken).toEqual(times.map((at, index) => [at, index]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!));
      expect(agenda.take()).toBeUndefined();
      expect(agenda.nextAt).toBe(Infinity);
    }),
  );
});
