import { SeatTaken } from '../../../store/errors';
import type { Seat } from '../../../store/records';
import type { Store } from '../../../store/store';
import { attemptEnd, newTask, now, processRow, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

const leaseMs = 30_000;
const transient = attemptEnd({ outcome: 'transient' });
const plugin = (limit: number): Seat => ({ scope: 'plugin', id: 'up1', limit });
const owner = (limit: number, id = 'key:key-1'): Seat => ({ scope: 'owner', id, limit });

async function accepted({ tasks }: Store, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `t${index + 1}`);
  await Promise.all(ids.map((id) => tasks.accept(newTask({ id }), 0)));
  return ids;
}

/** Whether the claim got its lease and its seats. */
async function seated({ queue }: Store, id: string, seats: readonly Seat[], by = 'process-1'): Promise<boolean> {
  try {
    return (await queue.claim(id, target, by, now, leaseMs, seats)) !== null;
  } catch (error) {
    expect(error).toBeInstanceOf(SeatTaken);
    return false;
  }
}

export function seats(open: OpenStore): void {
  test(
    'A5: of 20 claims at once, as many get a seat as there are; the others leave no lease and no attempt',
    over(open, async (store) => {
      const ids = await accepted(store, 20);
      const got = await Promise.all(ids.map((id) => seated(store, id, [plugin(3)])));
      expect(got.filter(Boolean)).toHaveLength(3);
      for (const [index, id] of ids.entries()) {
        if (got[index]) continue;
        await expect(store.tasks.attempts(id)).resolves.toEqual([]);
        await expect(store.tasks.get(id)).resolves.toMatchObject({ state: 'queued', startedAt: null });
      }
      await expect(store.queue.renew('process-1', ids, now, leaseMs)).resolves.toHaveLength(3);
    }),
  );

  test(
    "A5: an owner's seats count over plugins; one that is full takes no seat of the plugin either",
    over(open, async (store) => {
      await accepted(store, 4);
      expect(await seated(store, 't1', [plugin(2), owner(1)])).toBe(true);
      await expect(store.queue.claim('t2', target, 'process-1', now, leaseMs, [plugin(2), owner(1)])).rejects.toEqual(
        expect.objectContaining({ scope: 'owner', id: 'key:key-1' }),
      );
      expect(await seated(store, 't3', [plugin(2), owner(1, 'key:other')])).toBe(true);
      await expect(store.queue.claim('t4', target, 'process-1', now, leaseMs, [plugin(2)])).rejects.toEqual(
        expect.objectContaining({ scope: 'plugin', id: 'up1' }),
      );
    }),
  );

  test.each([
    ['a release', (store: Store, fence: number) => store.queue.release('t1', fence, transient)],
    ['a finish', (store: Store, fence: number) => store.queue.finish('t1', fence, attemptEnd(), settlement())],
    ['a settlement', (store: Store) => store.tasks.settle('t1', 'process-1', settlement({ state: 'failed' }))],
    ['a take-over', (store: Store) => store.queue.takeOver('t1', 'process-2', now + leaseMs)],
    ['the end of an orphan', (store: Store) => store.queue.endOrphan('t1', settlement(), now + leaseMs)],
  ] as const)('A5: %s gives the seats back, once', (_, giveBack) =>
    over(open, async (store) => {
      await store.processes.register(processRow('process-2', { heartbeatAt: now + leaseMs }));
      await accepted(store, 3);
      const both = [plugin(1), owner(1)];
      const claim = await store.queue.claim('t1', target, 'process-1', now, leaseMs, both);
      expect(await seated(store, 't2', both)).toBe(false);
      await expect(giveBack(store, claim!.fence)).resolves.toBe(true);
      await giveBack(store, claim!.fence);
      expect(await seated(store, 't2', both)).toBe(true);
      expect(await seated(store, 't3', both)).toBe(false);
    })(),
  );

  test(
    'A5: who claims anew what it holds needs no second seat, and a claim in vain keeps none',
    over(open, async (store) => {
      await accepted(store, 2);
      expect(await seated(store, 't1', [plugin(1)])).toBe(true);
      expect(await seated(store, 't1', [plugin(1)])).toBe(true);
      expect(await seated(store, 't2', [plugin(1)])).toBe(false);
      expect(await seated(store, 't2', [plugin(2)], 'process-2')).toBe(false);
      expect(await seated(store, 't2', [plugin(2)])).toBe(true);
    }),
  );

  test(
    'A5: recounting makes the counts what the leases say',
    over(open, async (store) => {
      await accepted(store, 3);
      expect(await seated(store, 't1', [plugin(2), owner(2)])).toBe(true);
      await store.queue.recountSeats();
      expect(await seated(store, 't2', [plugin(2), owner(2)])).toBe(true);
      expect(await seated(store, 't3', [plugin(2), owner(2)])).toBe(false);
    }),
  );
}
