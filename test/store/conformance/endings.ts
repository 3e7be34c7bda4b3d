import { newTask, now, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

export function endings(open: OpenStore): void {
  test(
    'A10: a requested cancellation is kept with its first reason and bars the next claim',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const cancelRequested = { at: now + 1, reason: 'client_disconnected' };
      await expect(tasks.requestCancel('t1', 'client_disconnected', now + 1)).resolves.toMatchObject({
        state: 'queued',
        cancelRequested,
      });
      await expect(tasks.requestCancel('t1', 'operator', now + 2)).resolves.toMatchObject({ cancelRequested });
      await expect(queue.claim('t1', target, 'process-1', now + 3, 30_000)).resolves.toBeNull();
    }),
  );

  test(
    'A10: cancelling a running task leaves its lease to its holder',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      await queue.claim('t1', target, 'process-1', now, 30_000);
      await expect(tasks.requestCancel('t1', 'operator', now + 1)).resolves.toMatchObject({ state: 'running' });
      await expect(queue.renew('process-1', ['t1'], now + 2, 30_000)).resolves.toEqual(['t1']);
    }),
  );

  test(
    'A10: a task that has ended stays as it is when its cancellation is requested',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      await tasks.settle('t1', 'process-1', settlement());
      await expect(tasks.requestCancel('t1', 'operator', now + 500)).resolves.toMatchObject({
        state: 'completed',
        cancelRequested: null,
        updatedAt: now + 100,
      });
    }),
  );

  test.each([
    { state: 'cancelled', outcome: 'cancelled' },
    { state: 'failed', outcome: 'lost' },
  ] as const)(
    'C2: settling as $state ends a task whatever its lease and leaves its attempt $outcome',
    ({ state, outcome }) =>
      over(open, async ({ tasks, queue }) => {
        await tasks.accept(newTask({ id: 't1' }), 0);
        const claim = await queue.claim('t1', target, 'process-1', now, 30_000);
        const ending = settlement({
          state,
          reason: 'server_restarted',
          sentence: 'It restarted.',
          answer: null,
          usage: null,
        });
        await expect(tasks.settle('t1', 'process-1', ending)).resolves.toBe(true);
        await expect(tasks.settle('t1', 'process-1', ending)).resolves.toBe(false);
        await expect(tasks.get('t1')).resolves.toMatchObject({
          state,
          reason: 'server_restarted',
          sentence: 'It restarted.',
          usage: null,
        });
        await expect(tasks.attempts('t1')).resolves.toMatchObject([{ outcome, finishedAt: now + 100 }]);
        await expect(tasks.answer('t1')).resolves.toBeNull();
        await expect(queue.renew('process-1', ['t1'], now, 30_000)).resolves.toEqual([]);
        await expect(
          queue.release('t1', claim!.fence, {
            ...ending,
            outcome: 'ok',
            code: null,
            httpStatus: null,
            retryDelayMs: null,
          }),
        ).resolves.toBe(false);
      })(),
  );

  test(
    'B5: a waiting task says for what; a task that has ended is not woken',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      await tasks.setWaiting('t1', 'deferred', 'backends_on_cooldown', now + 1);
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'deferred', reason: 'backends_on_cooldown' });
      await tasks.setWaiting('t1', 'queued', null, now + 2);
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'queued', reason: null, updatedAt: now + 2 });
      await tasks.settle('t1', 'process-1', settlement());
      await tasks.setWaiting('t1', 'queued', null, now + 300);
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'completed', updatedAt: now + 100 });
    }),
  );

  test(
    'D3: a plan is replaced as routing changes its mind; that of a task that has ended stays',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      const plan = [{ modelId: 'm2', pluginId: 'p2', dropped: null }, { modelId: 'm1', pluginId: 'p1', dropped: 'tried' }]; // prettier-ignore
      await tasks.setPlan('t1', plan, now + 1);
      await expect(tasks.get('t1')).resolves.toMatchObject({ plan, updatedAt: now + 1 });
      await tasks.settle('t1', 'process-1', settlement());
      await tasks.setPlan('t1', [], now + 300);
      await expect(tasks.get('t1')).resolves.toMatchObject({ plan, updatedAt: now + 100 });
    }),
  );

  test(
    'C7: once part of the answer was given it stays given',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 't1' }), 0);
      await tasks.markGiven('t1', now + 1);
      await expect(tasks.get('t1')).resolves.toMatchObject({ given: true, updatedAt: now + 1 });
      await tasks.settle('t1', 'process-1', settlement({ given: false }));
      await expect(tasks.get('t1')).resolves.toMatchObject({ given: true });
    }),
  );
}
