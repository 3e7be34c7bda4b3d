import { attemptEnd, newTask, now, processRow, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

const leaseMs = 30_000;
const failure = attemptEnd({ outcome: 'transient', code: 'upstream_error', httpStatus: 502, retryDelayMs: 750 });

export function leases(open: OpenStore): void {
  test(
    'C1: of 20 processes that claim one task at once, the one that is to run it gets it',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const holders = Array.from({ length: 20 }, (_, index) => `process-${index}`);
      const claims = await Promise.all(holders.map((holder) => queue.claim('t1', target, holder, now, leaseMs)));
      expect(claims.filter((claim) => claim !== null)).toEqual([{ fence: 1, attempt: 1 }]);
      expect(claims[1]).not.toBeNull();
      await expect(tasks.attempts('t1')).resolves.toHaveLength(1);
    }),
  );

  test(
    'C1: a claim opens the attempt and marks the task running, counting its wait from acceptance',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const other = { modelId: 'm2', pluginId: 'up2' };
      await queue.claim('t1', other, 'process-1', now + 250, leaseMs);
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'running', startedAt: now + 250, queueMs: 250 });
      await expect(tasks.attempts('t1')).resolves.toEqual([
        {
          taskId: 't1',
          number: 1,
          fence: 1,
          target: other,
          startedAt: now + 250,
          finishedAt: null,
          outcome: 'running',
          code: null,
          httpStatus: null,
          sentence: null,
          retryDelayMs: null,
        },
      ]);
      await expect(tasks.list({ pluginId: 'up2', limit: 10 })).resolves.toMatchObject({ data: [{ id: 't1' }] });
    }),
  );

  test(
    'C1: a released task is claimed again with a higher fence and the next attempt; start and wait stay',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const first = await queue.claim('t1', target, 'process-1', now + 10, leaseMs);
      await expect(queue.release('t1', first!.fence, failure)).resolves.toBe(true);
      await expect(queue.release('t1', first!.fence, failure)).resolves.toBe(false);
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'queued' });
      const second = await queue.claim('t1', target, 'process-1', now + 900, leaseMs);
      expect(second).toEqual({ fence: 2, attempt: 2 });
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'running', startedAt: now + 10, queueMs: 10 });
      await expect(tasks.attempts('t1')).resolves.toMatchObject([
        {
          number: 1,
          outcome: 'transient',
          code: 'upstream_error',
          httpStatus: 502,
          retryDelayMs: 750,
          finishedAt: now + 100,
        },
        { number: 2, outcome: 'running', finishedAt: null },
      ]);
    }),
  );

  test(
    'C1: a process claims anew what it holds; the attempt it leaves is lost and its late results are dropped',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const old = await queue.claim('t1', target, 'process-1', now, leaseMs);
      const current = await queue.claim('t1', target, 'process-1', now + leaseMs, leaseMs);
      await expect(queue.finish('t1', old!.fence, attemptEnd(), settlement())).resolves.toBe(false);
      await expect(queue.release('t1', old!.fence, failure)).resolves.toBe(false);
      await expect(tasks.answer('t1')).resolves.toBeNull();
      await expect(tasks.attempts('t1')).resolves.toMatchObject([
        { number: 1, outcome: 'lost', finishedAt: now + leaseMs },
        { number: 2, outcome: 'running' },
      ]);
      await expect(queue.finish('t1', current!.fence, attemptEnd(), settlement())).resolves.toBe(true);
    }),
  );

  test(
    'C1: renewing covers all leases of a holder in one call and tells which are still held',
    over(open, async ({ tasks, queue }) => {
      for (const id of ['t1', 't2', 't3', 't4']) await tasks.accept(newTask({ id }), 0);
      for (const id of ['t1', 't2']) await queue.claim(id, target, 'process-1', now, leaseMs);
      await queue.takeOver('t3', 'process-2', now);
      await queue.claim('t3', target, 'process-2', now, leaseMs);
      const held = await queue.renew('process-1', ['t1', 't2', 't3', 't4', 'nobody'], now + 20_000, leaseMs);
      expect([...held].sort()).toEqual(['t1', 't2']);
      await expect(queue.takeOver('t1', 'process-2', now + leaseMs)).resolves.toBe(false);
      await expect(queue.takeOver('t3', 'process-1', now + leaseMs)).resolves.toBe(true);
      await expect(queue.renew('process-1', [], now, leaseMs)).resolves.toEqual([]);
    }),
  );

  test(
    'C1: a paused process keeps a lease that expired unless somebody took it',
    over(open, async ({ tasks, queue }) => {
      for (const id of ['t1', 't2']) {
        await tasks.accept(newTask({ id }), 0);
        await queue.claim(id, target, 'process-1', now, leaseMs);
      }
      await queue.takeOver('t2', 'process-2', now + 60_000);
      await expect(queue.renew('process-1', ['t1', 't2'], now + 60_001, leaseMs)).resolves.toEqual(['t1']);
    }),
  );

  test(
    'C1: finishing ends the task, its attempt and its queue item at once, and only once',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const claim = await queue.claim('t1', target, 'process-1', now + 5, leaseMs);
      const ending = settlement({ badLines: 2, answer: { contentType: 'application/json', text: '{"a":"🦀"}' } });
      await expect(queue.finish('t1', claim!.fence, attemptEnd(), ending)).resolves.toBe(true);
      await expect(tasks.get('t1')).resolves.toMatchObject({
        state: 'completed',
        reason: null,
        servedBy: target,
        finishedAt: now + 100,
        updatedAt: now + 100,
        given: true,
        badLines: 2,
        usage: { promptTokens: 3, completionTokens: 5, totalTokens: 8, cachedTokens: null, reasoningTokens: null },
        firstTokenMs: 40,
        queueMs: 5,
      });
      await expect(tasks.answer('t1')).resolves.toEqual({ contentType: 'application/json', text: '{"a":"🦀"}' });
      await expect(tasks.attempts('t1')).resolves.toMatchObject([
        { outcome: 'ok', httpStatus: 200, finishedAt: now + 100 },
      ]);
      await expect(tasks.open(10)).resolves.toEqual([]);
      const again = settlement({ state: 'failed', reason: 'late' });
      await expect(queue.finish('t1', claim!.fence, attemptEnd(), again)).resolves.toBe(false);
      await expect(tasks.settle('t1', 'process-1', again)).resolves.toBe(false);
      await expect(queue.claim('t1', target, 'process-1', now + 200, leaseMs)).resolves.toBeNull();
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'completed', reason: null });
    }),
  );

  test(
    'C1: a process is told which of its tasks have ended, moved or are to be cancelled',
    over(open, async ({ tasks, queue, processes }) => {
      for (const id of ['kept', 'cancelled', 'ended', 'moved']) await tasks.accept(newTask({ id }), 0);
      await tasks.requestCancel('cancelled', 'operator', now + 1);
      await tasks.settle('ended', 'process-1', settlement());
      await processes.register(processRow('process-2'));
      await queue.takeOver('moved', 'process-2', now);
      const standing = await queue.standing('process-1', ['kept', 'cancelled', 'ended', 'moved', 'nobody']);
      expect(standing).toEqual(
        new Map([
          ['kept', { cancelRequested: false }],
          ['cancelled', { cancelRequested: true }],
        ]),
      );
      await expect(queue.claim('moved', target, 'process-1', now, leaseMs)).resolves.toBeNull();
      await expect(tasks.settle('moved', 'process-1', settlement())).resolves.toBe(false);
      await expect(tasks.get('moved')).resolves.toMatchObject({ state: 'queued', incarnation: 'process-2' });
    }),
  );

  test(
    'C1: a fence that was given back cannot finish the task',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const claim = await queue.claim('t1', target, 'process-1', now, leaseMs);
      await queue.release('t1', claim!.fence, failure);
      await expect(queue.finish('t1', claim!.fence, attemptEnd(), settlement())).resolves.toBe(false);
    }),
  );
}
