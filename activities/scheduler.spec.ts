import { SEAT_POLL_MS } from '../workflows/rules/held-back';
import { settingsSchema } from '../config/schema';
import type { HostedPlugin } from './hosted-plugin';
import type { PluginHost } from './plugin-host';
import type { RunFacts } from './runs';
import { Scheduler } from './scheduler';

const target = { modelId: 'm1', pluginId: 'p1' };

function scheduler(over: Record<string, unknown> = {}, maxConcurrentTasks = 1, clock = { now: 0 }): Scheduler {
  const { ROUTING } = settingsSchema.parse({
    SYSTEM: {},
    MODELS: { ROUTING: over },
  }).MODELS;
  const plugin = { id: 'p1', maxConcurrentTasks, manifest: null } as unknown as HostedPlugin;
  const plugins = { get: () => plugin } as unknown as PluginHost;
  return new Scheduler(ROUTING, plugins, () => clock.now);
}

function request(taskId: string, over: Partial<RunFacts> = {}): RunFacts {
  return {
    taskId,
    operation: 'chat',
    owner: { kind: 'key', id: 'k1' },
    accountId: 'a1',
    model: 'm1',
    virtual: null,
    plan: [target],
    priority: 'standard',
    stream: false,
    background: false,
    outlivesProcess: false,
    resumed: false,
    acceptedAt: 0,
    deadlineAt: 60_000,
    body: null,
    ...over,
  };
}

const never = new AbortController().signal;

/** Tells whether a promise has settled by now, without waiting for time to pass. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol();
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(open)))])) !== open;
}

test('A5: a plugin runs as many tasks as it may, the next one starts when one ends', async () => {
  const queue = scheduler();
  await queue.enter(request('a'), false);
  await queue.enter(request('b'), false);
  const a = (await queue.slot(request('a'), target, never))!;
  const waiting = queue.slot(request('b'), target, never);
  expect(await settled(waiting)).toBe(false);
  expect(queue.snapshot()).toMatchObject({ running: 1, waiting: [{ taskId: 'b' }] });
  a.release();
  expect(await waiting).not.toBeNull();
  expect(queue.standing('b')).toBeNull();
});

test('A5: a slot released twice is given back once', async () => {
  const queue = scheduler({}, 2);
  const slots = await Promise.all(['a', 'b'].map((id) => queue.slot(request(id), target, never)));
  slots[0]!.release();
  slots[0]!.release();
  await queue.slot(request('c'), target, never);
  expect(await settled(queue.slot(request('d'), target, never))).toBe(false);
});

test('A4: with no place free a request waits at the door, and one that frees lets it in', async () => {
  const queue = scheduler({ QUEUE_CAPACITY: 1 });
  await queue.enter(request('a'), false);
  const atDoor = queue.enter(request('b'), false);
  expect(await settled(atDoor)).toBe(false);
  await queue.slot(request('a'), target, never);
  expect(await atDoor).toBe('admitted');
});

test('A4: 10 s after acceptance the door refuses', async () => {
  const clock = { now: 0 };
  const queue = scheduler({ QUEUE_CAPACITY: 1 }, 1, clock);
  await queue.enter(request('a'), false);
  const atDoor = queue.enter(request('b'), false);
  clock.now = 10_000;
  void queue.enter(request('c', { acceptedAt: 10_000 }), false);
  expect(await atDoor).toBe('queue_full');
});

test('A10: a request that leaves while queued never starts and makes room at once', async () => {
  const queue = scheduler();
  await queue.slot(request('a'), target, never);
  const leaving = new AbortController();
  const waiting = queue.slot(request('b'), target, leaving.signal);
  leaving.abort();
  expect(await waiting).toBeNull();
  expect(queue.snapshot().waiting).toEqual([]);
});

test('B5: a request comes back from its backoff with its age, ahead of those that came after it', async () => {
  const queue = scheduler();
  const busy = (await queue.slot(request('busy'), target, never))!;
  const younger = queue.slot(request('younger', { acceptedAt: 5 }), target, never);
  const older = queue.slot(request('older', { acceptedAt: 1 }), target, never);
  busy.release();
  expect(await settled(older)).toBe(true);
  expect(await settled(younger)).toBe(false);
});

const again = { ...target, retry: true };

test('K: no more than three retries run at once; one beyond waits, and starts when one of them ends', async () => {
  const queue = scheduler({}, 100);
  const running = await Promise.all(['r1', 'r2', 'r3'].map((id) => queue.slot(request(id), again, never)));
  const waiting = queue.slot(request('r4'), again, never);
  expect(await settled(waiting)).toBe(false);
  expect(await settled(queue.slot(request('first'), target, never))).toBe(true);
  running[0]!.release();
  expect(await waiting).not.toBeNull();
  expect(await settled(queue.slot(request('r5'), again, never))).toBe(false);
});

test('K: with more running a fifth of them may be retries', async () => {
  const queue = scheduler({}, 100);
  await Promise.all(Array.from({ length: 20 }, (_, n) => queue.slot(request(`f${n}`), target, never)));
  const retries = Array.from({ length: 6 }, (_, n) => queue.slot(request(`r${n}`), again, never));
  // 20 first tries and four retries: the fifth makes 25 in flight, a sixth would be more than a fifth of 25.
  expect(await Promise.all(retries.map(settled))).toEqual([true, true, true, true, false, false]);
  await queue.slot(request('f20'), target, never);
  expect(await Promise.all(retries.map(settled))).toEqual([true, true, true, true, true, false]);
});

test('K: a retry that waits for its budget keeps its age: it starts before those that came after it', async () => {
  const queue = scheduler({}, 4);
  const [first] = await Promise.all(['r1', 'r2', 'r3'].map((id) => queue.slot(request(id), again, never)));
  const busy = (await queue.slot(request('busy'), target, never))!;
  const older = queue.slot(request('older', { acceptedAt: 1 }), again, never);
  const younger = queue.slot(request('younger', { acceptedAt: 5 }), target, never);
  expect(await settled(older)).toBe(false);
  first!.release();
  expect(await Promise.all([older, younger].map(settled))).toEqual([true, false]);
  busy.release();
  expect(await settled(younger)).toBe(true);
});

test('K: a wait in backoff holds nothing of the budget, and one that leaves while it waits neither', async () => {
  const queue = scheduler({}, 100);
  const running = await Promise.all(['r1', 'r2', 'r3'].map((id) => queue.slot(request(id), again, never)));
  const leaving = new AbortController();
  const left = queue.slot(request('r4'), again, leaving.signal);
  leaving.abort();
  expect(await left).toBeNull();
  for (const slot of running) slot!.release();
  const next = ['r5', 'r6', 'r7'].map((id) => queue.slot(request(id), again, never));
  expect(await Promise.all(next.map(settled))).toEqual([true, true, true]);
});

test('D6: for a next target the place counts against that target’s plugin', async () => {
  const queue = scheduler();
  const elsewhere = { modelId: 'm2', pluginId: 'p2' };
  await queue.enter(request('a'), false);
  await queue.slot(request('a'), elsewhere, never);
  expect(queue.loadOf('p2').running).toBe(1);
  expect(queue.loadOf('p1')).toEqual({ running: 0, waiting: 0 });
});

test('A: a waiting request knows how many are before it and about how long it will wait', async () => {
  const clock = { now: 0 };
  const queue = scheduler({}, 1, clock);
  for (const id of ['a', 'b', 'c', 'd']) await queue.enter(request(id), false);
  const a = (await queue.slot(request('a'), target, never))!;
  expect(queue.standing('c')).toEqual({ position: 1, estimatedWaitMs: null });
  const b = queue.slot(request('b'), target, never);
  clock.now = 400;
  a.release();
  await b;
  expect(queue.standing('b')).toBeNull();
  expect(queue.standing('c')).toEqual({ position: 0, estimatedWaitMs: 400 });
  expect(queue.standing('d')).toEqual({ position: 1, estimatedWaitMs: 800 });
});

test('A5: without a free seat over all processes its like wait for a poll, others start; then one tries', async () => {
  jest.useFakeTimers();
  try {
    const clock = { now: 0 };
    const queue = scheduler({}, 3, clock);
    const other = request('x', { plan: [{ modelId: 'm2', pluginId: 'p2' }] });
    const first = (await queue.slot(request('a'), target, never))!;
    queue.seatTaken('a', { scope: 'plugin', id: 'p1' });
    first.release();
    const [a, b] = [queue.slot(request('a'), target, never), queue.slot(request('b'), target, never)];
    const x = await queue.slot(other, other.plan[0]!, never);
    expect(x).not.toBeNull();
    let [startedA, startedB] = [false, false];
    void a.then(() => (startedA = true));
    void b.then(() => (startedB = true));
    await jest.advanceTimersByTimeAsync(SEAT_POLL_MS - 1);
    expect([startedA, startedB]).toEqual([false, false]);
    clock.now = SEAT_POLL_MS;
    await jest.advanceTimersByTimeAsync(1);
    expect([startedA, startedB]).toEqual([true, false]);
    queue.seated(request('a'), target);
    await jest.advanceTimersByTimeAsync(0);
    expect(startedB).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});
