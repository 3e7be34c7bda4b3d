import fc from 'fast-check';
import { type QueueItem, ReadyQueue } from './ready-queue';

const AGING = { standardMs: 25_000, flexMs: 120_000 };
const ALWAYS = () => true;

let made = 0;
function item(fields: Partial<QueueItem> = {}): QueueItem {
  made += 1;
  return {
    taskId: `t${made}`,
    ownerId: 'k1',
    pluginId: 'p1',
    modelId: 'm1',
    priority: 'standard',
    enqueuedAt: 0,
    ...fields,
  };
}

function items(count: number, fields: Partial<QueueItem> = {}): QueueItem[] {
  return Array.from({ length: count }, () => item(fields));
}

function queueOf(capacity: number, ...entered: QueueItem[]): ReadyQueue<QueueItem> {
  const queue = new ReadyQueue<QueueItem>({ capacity, aging: AGING });
  for (const each of entered) queue.enter(each);
  return queue;
}

/** Everybody in the order they would start at one moment. */
function drain(
  queue: ReadyQueue<QueueItem>,
  now: number,
  canStart: (item: QueueItem) => boolean = ALWAYS,
): QueueItem[] {
  const started: QueueItem[] = [];
  for (let next = queue.next(now, canStart); next; next = queue.next(now, canStart)) started.push(next);
  return started;
}

const ids = (list: readonly QueueItem[]) => list.map(({ taskId }) => taskId);

describe('places and the door', () => {
  test('A4: places go at once while there are some, then requests wait at the door', () => {
    const queue = queueOf(2);
    expect([queue.enter(item()), queue.enter(item()), queue.enter(item())]).toEqual([
      'admitted',
      'admitted',
      'waiting',
    ]);
    expect([queue.size, queue.atDoor]).toEqual([2, 1]);
  });

  test('A4, T57: a place freed at 9.999 s lets the request in, without one it is refused at 10 s from acceptance', () => {
    const late = item({ enqueuedAt: 1_000 });
    const waiting = () => queueOf(1, item(), late);
    const freed = waiting();
    freed.next(10_999, ALWAYS);
    expect(freed.tick(10_999)).toEqual({ refused: [], admitted: [late] });
    const full = waiting();
    expect(full.nextWakeAt(2_000)).toBe(11_000);
    expect(full.tick(10_999)).toEqual({ refused: [], admitted: [] });
    expect(full.tick(11_000)).toEqual({ refused: [late], admitted: [] });
    expect([full.size, full.atDoor]).toEqual([1, 0]);
  });

  test('A4: owners take turns for free places, each oldest first', () => {
    const k1 = items(4);
    const k2 = items(2, { ownerId: 'k2', enqueuedAt: 5 });
    const queue = queueOf(4, ...items(2, { ownerId: 'k8' }), ...items(2, { ownerId: 'k9' }), ...k1, ...k2);
    const order: string[] = [];
    for (let freed = 0; freed < 4; freed += 1) {
      queue.next(10, ({ ownerId }) => ownerId === 'k8' || ownerId === 'k9');
      order.push(...ids(queue.tick(10).admitted));
    }
    expect(order).toEqual([k1[0], k2[0], k1[1], k2[1]].map((each) => each?.taskId));
  });

  test('A4: one owner may hold every place as long as nobody else waits', () => {
    const queue = queueOf(8, ...items(20));
    expect(queue.size).toBe(8);
  });

  test.each(['ownerId', 'pluginId'] as const)(
    'A4: another %s that comes gets its place at once, up to half of them',
    (party) => {
      const queue = queueOf(8, ...items(8));
      const others = items(5, { [party]: 'other', enqueuedAt: 1 });
      expect(others.map((each) => queue.enter(each))).toEqual([
        'admitted',
        'admitted',
        'admitted',
        'admitted',
        'waiting',
      ]);
      expect(queue.placed().filter((each) => each[party] === 'other')).toHaveLength(4);
      expect(queue.atDoor).toBe(5);
    },
  );

  test('A4: who gives a place back had one before: it is never refused, keeps its age and is admitted once', () => {
    const mine = items(2);
    const queue = queueOf(2, ...mine);
    queue.enter(item({ ownerId: 'k2', enqueuedAt: 1 }));
    expect(queue.placed()).not.toContain(mine[1]);
    expect(queue.tick(20_000)).toEqual({ refused: [], admitted: [] });
    drain(queue, 20_000);
    expect(queue.tick(20_000)).toEqual({ refused: [], admitted: [] });
    expect(queue.next(20_000, ALWAYS)).toBe(mine[1]);
  });

  test('B5: a request that comes back passes the door of a full queue and keeps its age', () => {
    const old = item({ enqueuedAt: 0 });
    const queue = queueOf(2, ...items(2, { enqueuedAt: 5 }));
    queue.reenter(old);
    expect(queue.tick(60_000)).toEqual({ refused: [], admitted: [] });
    expect([queue.size, queue.next(60_000, ALWAYS)]).toEqual([3, old]);
  });

  test('A4: a queue over-full by re-entries lets nobody in until it is below its capacity', () => {
    const queue = queueOf(1, item());
    queue.reenter(item());
    queue.enter(item());
    queue.next(1, ALWAYS);
    expect(queue.tick(1).admitted).toEqual([]);
    queue.next(1, ALWAYS);
    expect(queue.nextWakeAt(1)).toBe(1);
    expect(queue.tick(1).admitted).toHaveLength(1);
  });

  test('T69: a request that leaves is gone at once, from the queue and from the door', () => {
    const [first, second] = [item(), item()];
    const queue = queueOf(1, first, second);
    expect([queue.remove(second.taskId), queue.remove(second.taskId), queue.atDoor]).toEqual([true, false, 0]);
    expect([queue.remove(first.taskId), queue.size, queue.next(0, ALWAYS)]).toEqual([true, 0, null]);
  });

  test('entering twice changes nothing', () => {
    const [first, second] = [item(), item()];
    const queue = queueOf(1, first, second);
    expect([queue.enter(first), queue.enter(second)]).toEqual(['admitted', 'waiting']);
    queue.reenter(second);
    expect([queue.size, queue.atDoor]).toEqual([1, 1]);
  });
});

describe('who starts next', () => {
  test('A6: classes in their order, each oldest first', () => {
    const [flex, standard, high] = [
      item({ priority: 'flex' }),
      item({ enqueuedAt: 1 }),
      item({ priority: 'high', enqueuedAt: 2 }),
    ];
    const older = item({ enqueuedAt: 0 });
    expect(drain(queueOf(9, flex, standard, high, older), 10)).toEqual([high, older, standard, flex]);
  });

  test.each([
    ['standard', 25_000],
    ['flex', 120_000],
  ] as const)(
    'A6, T64: a %s request waits behind every high one until its aging time, then goes first',
    (priority, agingMs) => {
      const aged = item({ priority });
      const highs = items(3, { priority: 'high', enqueuedAt: agingMs - 1_000 });
      expect(drain(queueOf(9, aged, ...highs), agingMs - 1).at(-1)).toBe(aged);
      expect(drain(queueOf(9, aged, ...highs), agingMs)[0]).toBe(aged);
      expect(queueOf(9, aged).nextWakeAt(0)).toBe(agingMs);
    },
  );

  test('A6: the top class is ordered by enqueue time', () => {
    const older = item({ priority: 'high', enqueuedAt: 0 });
    const [first, second] = [item({ enqueuedAt: 1 }), item({ enqueuedAt: 2 })];
    const young = item({ priority: 'high', enqueuedAt: 29_000 });
    expect(drain(queueOf(9, young, second, first, older), 30_000)).toEqual([older, first, second, young]);
  });

  test('A5, T65: among equals owners take turns, however many one has sent', () => {
    const many = items(100);
    const one = item({ ownerId: 'k2', enqueuedAt: 9 });
    const order = drain(queueOf(1_000, ...many, one), 10);
    expect(order.indexOf(one)).toBeLessThanOrEqual(1);
  });

  test('A5: high requests take turns by owner too: age alone gives them no precedence', () => {
    const owners = ['k1', 'k2', 'k3'];
    const sent = owners.flatMap((ownerId, enqueuedAt) => items(10, { priority: 'high', ownerId, enqueuedAt }));
    const order = drain(queueOf(100, ...sent), 60_000).map(({ ownerId }) => ownerId);
    expect(order).toEqual(Array.from({ length: 10 }, () => owners).flat());
  });

  test('A5: and also against a backlog past its aging time', () => {
    const many = items(100);
    const one = item({ ownerId: 'k2', enqueuedAt: 60_000 });
    const order = drain(queueOf(1_000, ...many, one), 60_000);
    expect(order.indexOf(one)).toBeLessThanOrEqual(2);
  });

  test('A5: an owner who was away saves up no turns', () => {
    const queue = queueOf(1_000, ...items(50));
    for (let start = 0; start < 20; start += 1) queue.next(1, ALWAYS);
    const others = items(20, { ownerId: 'k2', enqueuedAt: 1 });
    for (const each of others) queue.enter(each);
    const order = Array.from({ length: 20 }, () => queue.next(1, ALWAYS)?.ownerId);
    expect(order.filter((owner) => owner === 'k2').length).toBe(10);
  });

  test('A5: a plugin whose slots are taken holds up nobody else', () => {
    const blocked = items(50, { priority: 'high' });
    const free = item({ pluginId: 'p2', priority: 'flex', enqueuedAt: 5 });
    const queue = queueOf(1_000, ...blocked, free);
    expect(queue.next(10, ({ pluginId }) => pluginId === 'p2')).toBe(free);
    expect(queue.next(10, ({ pluginId }) => pluginId === 'p2')).toBeNull();
    expect(queue.size).toBe(50);
  });

  test('A5: nor does a request that may not start yet hold up its younger likes', () => {
    const [first, second] = [item(), item()];
    expect(queueOf(9, first, second).next(1, (each) => each !== first)).toBe(second);
  });

  test('A6: behind an endless stream of high requests one overdue request starts within its aging time and one service time', () => {
    const serviceMs = 700;
    for (const [priority, agingMs] of [
      ['standard', AGING.standardMs],
      ['flex', AGING.flexMs],
    ] as const) {
      const lone = item({ priority, ownerId: 'k0' });
      const queue = queueOf(1_000, lone);
      let now = 0;
      for (let started: QueueItem | null = null; started !== lone; now += serviceMs) {
        for (let owner = 1; owner <= 2; owner += 1)
          queue.enter(item({ priority: 'high', ownerId: `k${owner}`, enqueuedAt: now }));
        started = queue.next(now, ALWAYS);
        expect(now).toBeLessThanOrEqual(agingMs + serviceMs);
      }
    }
  });

  test('F5: five owners with any loads start equally often while all of them wait', () => {
    const loads = fc.array(fc.integer({ min: 20, max: 60 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(loads, fc.integer({ min: 0, max: 60_000 }), (counts, now) => {
        const everybody = counts.flatMap((count, owner) => items(count, { ownerId: `k${owner}`, enqueuedAt: owner }));
        const queue = queueOf(1_000, ...everybody);
        const shares = new Map<string, number>();
        const starts = now < AGING.standardMs ? 100 : 40;
        for (let start = 0; start < starts; start += 1) {
          const owner = queue.next(now, ALWAYS)?.ownerId ?? '';
          shares.set(owner, (shares.get(owner) ?? 0) + 1);
        }
        // Past the aging time every other start goes to the oldest request, whosever it is.
        const fair = now < AGING.standardMs ? starts / 5 : starts / 10;
        for (let owner = 0; owner < 5; owner += 1) expect(shares.get(`k${owner}`) ?? 0).toBeGreaterThanOrEqual(fair);
      }),
    );
  });
});

describe('what is shown', () => {
  test('position counts those expected to start before, the door behind everybody', () => {
    const [a, b] = items(2);
    const other = item({ ownerId: 'k2', enqueuedAt: 1 });
    const [doorFirst, doorSecond] = [item({ enqueuedAt: 2 }), item({ enqueuedAt: 3 })];
    const queue = queueOf(3, a!, b!, other, doorFirst, doorSecond);
    const positions = [a!, other, b!, doorFirst, doorSecond].map(({ taskId }) => queue.position(taskId, 10));
    expect(positions).toEqual([0, 1, 2, 3, 4]);
    expect(queue.position('unknown', 10)).toBeNull();
  });

  test('the estimate is the order in which they start, as long as nobody is overdue or comes', () => {
    const anybody = fc.record({
      ownerId: fc.constantFrom('k1', 'k2', 'k3'),
      priority: fc.constantFrom('high', 'standard', 'flex'),
      enqueuedAt: fc.integer({ min: 0, max: 1_000_000 }),
    }) as fc.Arbitrary<Partial<QueueItem>>;
    fc.assert(
      fc.property(fc.uniqueArray(anybody, { selector: ({ enqueuedAt }) => enqueuedAt, maxLength: 30 }), (all) => {
        const sent = all.map(item);
        const byClass = (priority: string) => {
          const chosen = sent.filter((each) => each.priority === priority);
          const queue = queueOf(100, ...chosen);
          const estimate = [...chosen].sort(
            (x, y) => (queue.position(x.taskId, 0) ?? 0) - (queue.position(y.taskId, 0) ?? 0),
          );
          expect(drain(queue, 0)).toEqual(estimate);
        };
        for (const priority of ['high', 'standard', 'flex']) byClass(priority);
      }),
    );
  });
});
