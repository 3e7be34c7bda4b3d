import { InvalidCursor } from '../../../store/errors';
import { newTask, now, settlement, target } from '../samples';
import type { Store, TaskFilter } from '../../../store/store';
import { over, type OpenStore } from './subject';

async function everyPage({ tasks }: Store, filter: TaskFilter): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await tasks.list({ ...filter, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.data.map((task) => task.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

export function listing(open: OpenStore): void {
  test(
    'J: tasks are listed newest first, page by page, each once, also when they share a millisecond',
    over(open, async (store) => {
      for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        await store.tasks.accept(newTask({ id, acceptedAt: now + Math.floor(index / 2) }), 0);
      }
      await expect(everyPage(store, { limit: 2 })).resolves.toEqual([['e', 'd'], ['c', 'b'], ['a']]);
      await expect(everyPage(store, { limit: 5 })).resolves.toEqual([['e', 'd', 'c', 'b', 'a']]);
    }),
  );

  test(
    'J: a page goes on where the last one ended though newer tasks have come',
    over(open, async ({ tasks }) => {
      for (const id of ['a', 'b', 'c']) await tasks.accept(newTask({ id }), 0);
      const { nextCursor } = await tasks.list({ limit: 1 });
      await tasks.accept(newTask({ id: 'd', acceptedAt: now + 1 }), 0);
      await expect(tasks.list({ limit: 5, cursor: nextCursor! })).resolves.toMatchObject({
        data: [{ id: 'b' }, { id: 'a' }],
        nextCursor: null,
      });
    }),
  );

  test(
    'J: each filter narrows the list, and they narrow it together',
    over(open, async (store) => {
      const { tasks, queue } = store;
      const up2 = { modelId: 'm2', pluginId: 'up2' };
      await tasks.accept(newTask({ id: 'a' }), 0);
      await tasks.accept(newTask({ id: 'b', owner: { kind: 'account', id: 'account-2' }, accountId: 'account-2' }), 0);
      await tasks.accept(
        newTask({
          id: 'c',
          model: 'm2',
          plan: [
            { ...target, dropped: 'disabled' },
            { ...up2, dropped: null },
          ],
        }),
        0,
      );
      await queue.claim('a', target, 'process-1', now, 30_000);
      await tasks.settle('b', 'process-1', settlement());
      const ids = async (filter: Partial<TaskFilter>): Promise<string[]> =>
        (await everyPage(store, { limit: 10, ...filter })).flat();
      await expect(ids({ state: 'running' })).resolves.toEqual(['a']);
      await expect(ids({ state: 'completed' })).resolves.toEqual(['b']);
      await expect(ids({ ownerId: 'key-1' })).resolves.toEqual(['c', 'a']);
      await expect(ids({ accountId: 'account-2' })).resolves.toEqual(['b']);
      await expect(ids({ pluginId: 'up2' })).resolves.toEqual(['c']);
      await expect(ids({ model: 'm2' })).resolves.toEqual(['c']);
      await expect(ids({ ownerId: 'key-1', model: 'm1' })).resolves.toEqual(['a']);
      await expect(ids({ ownerId: 'key-1', state: 'completed' })).resolves.toEqual([]);
    }),
  );

  test.each([
    '',
    'x',
    'bm90IGpzb24',
    '%%%',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('["1","a"]').toString('base64url'),
    Buffer.from('[1.5,"a"]').toString('base64url'),
    `${Buffer.from('[1,"a"]').toString('base64url')}=`,
    "'; DROP TABLE tasks; --",
  ])('S39: the cursor %j is refused as InvalidCursor', (cursor) =>
    over(open, async ({ tasks }) => {
      await expect(tasks.list({ limit: 1, cursor })).rejects.toThrow(InvalidCursor);
    })(),
  );

  test(
    'C2: open tasks come in the order they were accepted and can be walked',
    over(open, async ({ tasks }) => {
      for (const [index, id] of ['c', 'a', 'b', 'd'].entries())
        await tasks.accept(newTask({ id, acceptedAt: now + index }), 0);
      await tasks.settle('a', 'process-1', settlement());
      await expect(tasks.open(2)).resolves.toMatchObject([{ id: 'c' }, { id: 'b' }]);
      await expect(tasks.open(2, 'b')).resolves.toMatchObject([{ id: 'd' }]);
      await expect(tasks.open(2, 'a')).resolves.toMatchObject([{ id: 'b' }, { id: 'd' }]);
      await expect(tasks.open(2, 'nobody')).rejects.toThrow(InvalidCursor);
    }),
  );

  test(
    'J: tasks are counted by state, states without any included',
    over(open, async ({ tasks, queue }) => {
      for (const id of ['a', 'b', 'c', 'd']) await tasks.accept(newTask({ id }), 0);
      await queue.claim('a', target, 'process-1', now, 30_000);
      await tasks.setWaiting('b', 'deferred', 'backends_on_cooldown', now);
      await tasks.settle('c', 'process-1', settlement({ state: 'failed', reason: 'queue_full' }));
      await expect(tasks.countByState()).resolves.toEqual({
        queued: 1,
        deferred: 1,
        running: 1,
        completed: 0,
        failed: 1,
        cancelled: 0,
      });
    }),
  );
}
