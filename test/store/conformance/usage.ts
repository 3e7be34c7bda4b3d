import type { UsageFilter } from '../../../store/store';
import { attemptEnd, newTask, now, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

const DAY_MS = 86_400_000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const today = dayOf(now);
const filter = (fields: Partial<UsageFilter> = {}): UsageFilter => ({
  by: [],
  from: dayOf(now - 30 * DAY_MS),
  to: dayOf(now + 30 * DAY_MS),
  limit: 100,
  ...fields,
});

export function usage(open: OpenStore): void {
  test(
    'usage: an ended task is counted once, with its tokens, times and calls',
    over(open, async ({ tasks, queue, usage }) => {
      await tasks.accept(newTask({ id: 't1', stream: true }), 0);
      const claim = await queue.claim('t1', target, 'process-1', now + 25, 30_000);
      await queue.finish('t1', claim!.fence, attemptEnd(), settlement());
      await tasks.settle('t1', 'process-1', settlement());
      await expect(usage.sums(filter({ by: ['day', 'model', 'plugin', 'owner', 'account'] }))).resolves.toEqual([
        {
          group: { day: today, model: 'm1', plugin: 'up1', owner: 'key-1', account: 'account-1' },
          requests: 1,
          completed: 1,
          failed: 0,
          cancelled: 0,
          attempts: 1,
          promptTokens: 3,
          completionTokens: 5,
          cachedTokens: 0,
          reasoningTokens: 0,
          queueMs: 25,
          queued: 1,
          firstTokenMs: 40,
          firstTokens: 1,
          outputMs: 60,
          outputTokens: 5,
        },
      ]);
    }),
  );

  test(
    'usage: a task that never reached a backend counts as a request without tokens',
    over(open, async ({ tasks, usage }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const ending = { state: 'failed', usage: null, answer: null, servedBy: null, firstTokenMs: null } as const;
      await tasks.settle('t1', 'process-1', settlement({ ...ending, reason: 'queue_full' }));
      await expect(usage.sums(filter({ by: ['plugin'] }))).resolves.toMatchObject([
        { group: { plugin: '' }, requests: 1, failed: 1, attempts: 0, completionTokens: 0, queued: 0, outputMs: 0 },
      ]);
    }),
  );

  test(
    'usage: groups add up, filters leave out, days are UTC days of the end',
    over(open, async ({ tasks, usage }) => {
      const ended = [
        { id: 'a', accountId: 'account-1', model: 'm1', at: now },
        { id: 'b', accountId: 'account-2', model: 'm1', at: now },
        { id: 'c', accountId: 'account-1', model: 'm2', at: now + DAY_MS },
      ];
      for (const { at, ...task } of ended) {
        await tasks.accept(newTask(task), 0);
        await tasks.settle(task.id, 'process-1', settlement({ at }));
      }
      const requests = async (fields: Partial<UsageFilter>) =>
        (await usage.sums(filter(fields))).map(({ group, requests }) => [...Object.values(group), requests]);
      await expect(requests({ by: ['day'] })).resolves.toEqual([
        [today, 2],
        [dayOf(now + DAY_MS), 1],
      ]);
      await expect(requests({ by: ['model'], accountId: 'account-1' })).resolves.toEqual([
        ['m1', 1],
        ['m2', 1],
      ]);
      await expect(requests({ by: ['account'], model: 'm1', to: today })).resolves.toEqual([
        ['account-1', 1],
        ['account-2', 1],
      ]);
      await expect(requests({ by: ['day'], limit: 1 })).resolves.toHaveLength(1);
      await expect(requests({ by: ['model'], from: dayOf(now + 2 * DAY_MS) })).resolves.toEqual([]);
    }),
  );
}
