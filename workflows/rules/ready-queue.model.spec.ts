import fc from 'fast-check';
import { type QueueItem, ReadyQueue } from './ready-queue';

const AGING = { standardMs: 25_000, flexMs: 120_000 };

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

function queueOf(capacity: number, ...entered: QueueItem[]): ReadyQueue<QueueItem> {
  const queue = new ReadyQueue<QueueItem>({ capacity, aging: AGING });
  for (const each of entered) queue.enter(each);
  return queue;
}

const ids = (list: readonly QueueItem[]) => list.map(({ taskId }) => taskId);

describe('in any order of events', () => {
  type Event = {
    readonly kind: 'enter' | 'reenter' | 'next' | 'remove' | 'tick';
    readonly owner: number;
    readonly plugin: number;
    readonly pass: number;
  };
  const events = (kinds: readonly Event['kind'][]) =>
    fc.array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        owner: fc.nat(3),
        plugin: fc.nat(2),
        pass: fc.integer({ min: 0, max: 4_000 }),
      }),
      { minLength: 1, maxLength: 120 },
    );

  function run(capacity: number, all: readonly Event[], check: (queue: ReadyQueue<QueueItem>) => void) {
    const queue = queueOf(capacity);
    const ended: string[] = [];
    const admitted: string[] = [];
    const entered: QueueItem[] = [];
    let now = 0;
    for (const event of all) {
      now += event.pass;
      const comer = item({ ownerId: `k${event.owner}`, pluginId: `p${event.plugin}`, enqueuedAt: now });
      if (event.kind === 'enter') {
        entered.push(comer);
        if (queue.enter(comer) === 'admitted') admitted.push(comer.taskId);
      } else if (event.kind === 'reenter') {
        entered.push(comer);
        queue.reenter(comer);
      } else if (event.kind === 'next') {
        const started = queue.next(now, ({ pluginId }) => pluginId !== `p${event.plugin}`);
        if (started) ended.push(started.taskId);
      } else if (event.kind === 'remove') {
        const leaver = queue.waiting()[event.owner];
        if (leaver && queue.remove(leaver.taskId)) ended.push(leaver.taskId);
      }
      const tick = queue.tick(now);
      ended.push(...ids(tick.refused));
      admitted.push(...ids(tick.admitted));
      for (const { enqueuedAt } of tick.refused) expect(now - enqueuedAt).toBeGreaterThanOrEqual(10_000);
      check(queue);
    }
    return { queue, ended, admitted, entered };
  }

  test('A4, A7: every request is waiting or has ended once, none is admitted twice, no free place is kept empty', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        events(['enter', 'enter', 'enter', 'reenter', 'next', 'remove', 'tick']),
        (capacity, all) => {
          const { queue, ended, admitted, entered } = run(capacity, all, (each) => {
            expect(each.atDoor === 0 || each.size >= capacity).toBe(true);
          });
          expect(new Set(ended).size).toBe(ended.length);
          expect(new Set(admitted).size).toBe(admitted.length);
          expect([...ended, ...ids(queue.waiting())].sort()).toEqual(ids(entered).sort());
          expect(queue.size + queue.atDoor).toBe(queue.waiting().length);
        },
      ),
    );
  });

  test("A4: capacity holds, and while another owner's or plugin's request waits none holds more than half", () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 4, 6), events(['enter', 'enter', 'enter', 'next', 'remove']), (capacity, all) => {
        run(capacity, all, (queue) => {
          expect(queue.size).toBeLessThanOrEqual(capacity);
          const placed = queue.placed();
          const atDoor = queue.waiting().filter((each) => !placed.includes(each));
          for (const party of ['ownerId', 'pluginId'] as const) {
            const waiting = new Set(atDoor.map((each) => each[party]));
            for (const holder of new Set(placed.map((each) => each[party]))) {
              const holds = placed.filter((each) => each[party] === holder).length;
              waiting.delete(holder);
              if (waiting.size > 0) expect(holds).toBeLessThanOrEqual(capacity / 2);
              if (placed.length > 0 && atDoor.some((each) => each[party] === holder)) waiting.add(holder);
            }
          }
        });
      }),
    );
  });

  test('A7: a burst of 5,000 from as many owners goes through, and each start looks at no more than the places', () => {
    const queue = queueOf(1_024);
    for (let sent = 0; sent < 5_000; sent += 1) queue.enter(item({ ownerId: `k${sent}`, pluginId: `p${sent % 5}` }));
    let [started, looks] = [0, 0];
    const canStart = () => (looks += 1) > 0;
    while (queue.next(1_000, canStart)) {
      started += 1;
      queue.tick(1_000);
    }
    expect(started).toBe(5_000);
    expect(looks).toBeLessThanOrEqual(5_000 * 1_024);
  });
});
