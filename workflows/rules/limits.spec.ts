import fc from 'fast-check';
import { Limits, type LimitSettings, type PluginLimits } from './limits';
import type { QueueItem } from './queue-item';

const REMOTE: PluginLimits = { maxConcurrentTasks: 2, local: false, oneModelAtATime: false };
const LOCAL: PluginLimits = { maxConcurrentTasks: 2, local: true, oneModelAtATime: true };
const PLUGINS: Readonly<Record<string, PluginLimits>> = { r1: REMOTE, r2: REMOTE, l1: LOCAL, l2: LOCAL };

function limitsOf(settings: Partial<LimitSettings> = {}): Limits {
  return new Limits({
    maxRunningPerOwner: 0,
    maxRunningLocalBackends: 1,
    aging: { standardMs: 25_000, flexMs: 120_000 },
    plugin: (id) => PLUGINS[id] ?? null,
    ...settings,
  });
}

let made = 0;
function item(fields: Partial<QueueItem> = {}): QueueItem {
  made += 1;
  return {
    taskId: `t${made}`,
    ownerId: 'k1',
    pluginId: 'r1',
    modelId: 'a',
    priority: 'standard',
    enqueuedAt: 0,
    ...fields,
  };
}
const local = (modelId: string, fields: Partial<QueueItem> = {}) => item({ pluginId: 'l1', modelId, ...fields });

/** Asks with the given requests waiting. */
function mayStart(limits: Limits, wanted: QueueItem, now: number, ...others: QueueItem[]): boolean {
  return limits.gate([wanted, ...others], now)(wanted);
}

describe('counts', () => {
  test('A5: no more run at a plugin than it may, and an end frees the slot', () => {
    const limits = limitsOf();
    const [first, second] = [item(), item()];
    limits.start(first, 0);
    limits.start(second, 0);
    expect([mayStart(limits, item(), 1), mayStart(limits, item({ pluginId: 'r2' }), 1)]).toEqual([false, true]);
    limits.end(first, 2);
    expect([mayStart(limits, item(), 3), limits.running('r1')]).toEqual([true, 1]);
  });

  test('A5, T65: no more run of an owner than it may, over all plugins; 0 is no limit', () => {
    const limits = limitsOf({ maxRunningPerOwner: 2 });
    limits.start(item(), 0);
    limits.start(item({ pluginId: 'r2' }), 0);
    expect([mayStart(limits, item(), 1), mayStart(limits, item({ ownerId: 'k2' }), 1)]).toEqual([false, true]);
    expect(limits.runningOf('k1')).toBe(2);
  });

  test('K: a fourth retry at a plugin waits while three run; first tries and other plugins do not', () => {
    const limits = limitsOf({ plugin: () => ({ ...REMOTE, maxConcurrentTasks: 100 }) });
    const retries = [1, 2, 3].map(() => item({ retry: true }));
    for (const retry of retries) limits.start(retry, 0);
    const asked = (): boolean[] =>
      [item({ retry: true }), item(), item({ retry: true, pluginId: 'r2' })].map((each) => mayStart(limits, each, 1));
    expect(asked()).toEqual([false, true, true]);
    limits.end(retries[0]!, 2);
    expect(asked()).toEqual([true, true, true]);
    limits.start(retries[0]!, 3);
    for (let first = 0; first < 17; first += 1) limits.start(item(), 3);
    expect(asked()).toEqual([true, true, true]);
  });

  test('A5: nothing starts at an unknown plugin', () => {
    expect(mayStart(limitsOf(), item({ pluginId: 'gone' }), 0)).toBe(false);
  });
});

describe('local backends', () => {
  test('A5: an idle backend that nobody waits for makes room, and is named to be stopped', () => {
    const limits = limitsOf();
    const first = local('a');
    expect(limits.start(first, 0)).toEqual({ evict: null });
    const other = local('a', { pluginId: 'l2' });
    expect(mayStart(limits, other, 1)).toBe(false);
    limits.end(first, 2);
    expect(mayStart(limits, other, 3)).toBe(true);
    expect(limits.start(other, 3)).toEqual({ evict: 'l1' });
  });

  test('A5: as many as the setting says run side by side', () => {
    const limits = limitsOf({ maxRunningLocalBackends: 2 });
    limits.start(local('a'), 0);
    const other = local('a', { pluginId: 'l2' });
    expect(mayStart(limits, other, 1)).toBe(true);
    expect(limits.start(other, 1)).toEqual({ evict: null });
  });

  test('A5: a backend that stopped by itself leaves its seat', () => {
    const limits = limitsOf();
    const first = local('a');
    limits.start(first, 0);
    limits.end(first, 1);
    limits.stopped('l1');
    expect(limits.start(local('a', { pluginId: 'l2' }), 2)).toEqual({ evict: null });
  });

  test('A5: a backend that stopped under its calls leaves its seat when they have ended, unless it is up again', () => {
    for (const again of [false, true]) {
      const limits = limitsOf();
      const [first, second] = [local('a'), local('a')];
      limits.start(first, 0);
      limits.stopped('l1');
      if (again) limits.start(second, 1);
      limits.end(first, 2);
      if (again) limits.end(second, 3);
      expect(limits.wouldSwap({ pluginId: 'l2', modelId: 'a' })).toBe(again);
    }
  });
});

describe('one model at a time', () => {
  test('K: requests for the loaded model run together, another model waits for them', () => {
    const limits = limitsOf();
    const first = local('a');
    limits.start(first, 0);
    expect([mayStart(limits, local('a'), 1), mayStart(limits, local('b'), 1)]).toEqual([true, false]);
    limits.end(first, 2);
    expect(mayStart(limits, local('b'), 3)).toBe(true);
  });

  test('K: while somebody waits for the loaded model, another one is not loaded before its request is overdue', () => {
    const limits = limitsOf();
    const first = local('a');
    limits.start(first, 0);
    limits.end(first, 26_000);
    const waiting = local('a', { enqueuedAt: 20_000 });
    expect(mayStart(limits, local('b', { enqueuedAt: 2_000 }), 26_000, waiting)).toBe(false);
    expect(mayStart(limits, local('b', { enqueuedAt: 1_000 }), 26_000, waiting)).toBe(true);
  });

  test('K: an overdue request keeps younger ones from starting, so that the model falls idle for it', () => {
    const limits = limitsOf();
    const running = local('a');
    limits.start(running, 0);
    const overdue = local('b');
    expect(mayStart(limits, local('a', { enqueuedAt: 1 }), 24_999, overdue)).toBe(true);
    expect(mayStart(limits, local('a', { enqueuedAt: 1 }), 25_000, overdue)).toBe(false);
    limits.end(running, 26_000);
    expect(mayStart(limits, overdue, 26_000, local('a', { enqueuedAt: 1 }))).toBe(true);
  });

  test('K: a model just loaded is kept until it has been busy for five times its load time', () => {
    const limits = limitsOf();
    limits.loaded('l1', 'a', 2_000);
    const first = local('a', { enqueuedAt: 0 });
    limits.start(first, 100_000);
    limits.end(first, 109_999);
    const [wanted, overdue] = [local('a'), local('b')];
    expect(mayStart(limits, overdue, 110_000, wanted)).toBe(false);
    expect(mayStart(limits, wanted, 110_000, overdue)).toBe(true);
    limits.start(wanted, 110_000);
    limits.end(wanted, 110_001);
    expect(mayStart(limits, overdue, 110_001, local('a'))).toBe(true);
  });

  test('K: a waiting request that its owner limit holds back does not keep a model loaded', () => {
    const limits = limitsOf({ maxRunningPerOwner: 1 });
    const first = local('a', { ownerId: 'k1' });
    limits.start(first, 0);
    limits.end(first, 1);
    limits.start(item({ ownerId: 'k1' }), 1);
    expect(mayStart(limits, local('b', { ownerId: 'k2' }), 2, local('a', { ownerId: 'k1' }))).toBe(true);
  });

  test('K: under mixed overload loading takes at most 20 % of the busy time, and nobody is forgotten', () => {
    const loadMs = 3_000;
    const serviceMs = 1_000;
    const limits = limitsOf();
    for (const model of ['a', 'b', 'c']) limits.loaded('l1', model, loadMs);
    const waiting = Array.from({ length: 300 }, (_, nth) => local('abc'[nth % 3] ?? 'a', { enqueuedAt: nth * 100 }));
    let [now, loaded, loading] = [0, '', 0];
    while (['a', 'b', 'c'].every((model) => waiting.some(({ modelId }) => modelId === model))) {
      const gate = limits.gate(waiting, now);
      const at = waiting.findIndex((each) => each.enqueuedAt <= now && gate(each));
      const [started] = waiting.splice(at, 1);
      if (!started) throw new Error(`nothing may start at ${now}`);
      limits.start(started, now);
      const swap = started.modelId === loaded ? 0 : loadMs;
      loaded = started.modelId;
      loading += swap;
      now += swap + serviceMs;
      limits.end(started, now);
    }
    // The last load has not had the time to pay for itself.
    expect(loading - loadMs).toBeLessThanOrEqual(0.2 * now);
    expect(waiting.length).toBeLessThan(30);
  });

  test('A5, K: whatever happened before, when nothing runs some waiting request may start', () => {
    const anybody = fc.record({
      pluginId: fc.constantFrom('r1', 'l1', 'l2'),
      modelId: fc.constantFrom('a', 'b'),
      ownerId: fc.constantFrom('k1', 'k2'),
      priority: fc.constantFrom('high', 'standard', 'flex'),
    }) as fc.Arbitrary<Partial<QueueItem>>;
    const step = fc.record({ comer: anybody, serviceMs: fc.nat(10_000), pauseMs: fc.nat(30_000) });
    const settings = fc.record({
      maxRunningPerOwner: fc.nat(2),
      maxRunningLocalBackends: fc.integer({ min: 1, max: 2 }),
    });
    fc.assert(
      fc.property(settings, fc.array(step, { minLength: 1, maxLength: 60 }), (each, steps) => {
        const limits = limitsOf(each);
        const waiting: QueueItem[] = [];
        let now = 0;
        for (const { comer, serviceMs, pauseMs } of steps) {
          now += pauseMs;
          waiting.push(item({ ...comer, enqueuedAt: now }));
          if (pauseMs % 3 === 0) waiting.push(item({ ...comer, modelId: 'b', enqueuedAt: now }));
          const gate = limits.gate(waiting, now);
          const at = waiting.findIndex(gate);
          expect(at).toBeGreaterThanOrEqual(0);
          const [started] = waiting.splice(at, 1);
          if (!started) continue;
          limits.start(started, now);
          now += serviceMs;
          limits.end(started, now);
        }
      }),
    );
  });

  test('A5: with requests running side by side, no cap is ever exceeded and no model is swapped under a running call', () => {
    const step = fc.record({
      start: fc.boolean(),
      pluginId: fc.constantFrom('r1', 'l1', 'l2'),
      modelId: fc.constantFrom('a', 'b'),
      ownerId: fc.constantFrom('k1', 'k2', 'k3'),
      passMs: fc.nat(20_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const limits = limitsOf({ maxRunningPerOwner: 2 });
        const running: QueueItem[] = [];
        const waiting: QueueItem[] = [];
        let now = 0;
        for (const { start, passMs, ...fields } of steps) {
          now += passMs;
          if (start) waiting.push(item({ ...fields, enqueuedAt: now }));
          else if (running.length > 0) limits.end(running.shift()!, now);
          for (let at = 0; at >= 0;) {
            const gate = limits.gate(waiting, now);
            at = waiting.findIndex(gate);
            if (at < 0) break;
            const [started] = waiting.splice(at, 1);
            limits.start(started!, now);
            running.push(started!);
          }
          const locals = running.filter(({ pluginId }) => pluginId !== 'r1');
          expect(new Set(locals.map(({ pluginId, modelId }) => `${pluginId} ${modelId}`)).size).toBeLessThanOrEqual(1);
          for (const plugin of ['r1', 'l1', 'l2']) expect(limits.running(plugin)).toBeLessThanOrEqual(2);
          for (const owner of ['k1', 'k2', 'k3'])
            expect(running.filter(({ ownerId }) => ownerId === owner).length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});
