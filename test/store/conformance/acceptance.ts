import { ConstraintViolation } from '../../../store/errors';
import { attemptEnd, newTask, now, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `task-${index}`);

export function acceptance(open: OpenStore): void {
  test(
    'A1: an accepted task has its record, its body and its place in the queue',
    over(open, async ({ tasks, queue }) => {
      const task = newTask({ id: 't1', body: '{"model":"m1","x":"안녕하세요🦀"}', stream: true });
      await expect(tasks.accept(task, 0)).resolves.toEqual({ kind: 'accepted' });
      await expect(tasks.get('t1')).resolves.toEqual({
        id: 't1',
        operation: 'chat',
        state: 'queued',
        reason: null,
        sentence: null,
        owner: { kind: 'key', id: 'key-1' },
        accountId: 'account-1',
        model: 'm1',
        plan: [{ modelId: 'm1', pluginId: 'up1', dropped: null }],
        servedBy: null,
        priority: 'standard',
        stream: true,
        background: false,
        requestId: 'request-t1',
        acceptedAt: now,
        deadlineAt: now + 285_000,
        startedAt: null,
        finishedAt: null,
        updatedAt: now,
        incarnation: 'process-1',
        takeovers: 0,
        cancelRequested: null,
        given: false,
        badLines: 0,
        usage: null,
        firstTokenMs: null,
        queueMs: null,
      });
      await expect(tasks.requestBody('t1')).resolves.toBe(task.body);
      await expect(tasks.answer('t1')).resolves.toBeNull();
      await expect(queue.claim('t1', target, 'process-1', now, 30_000)).resolves.toEqual({ fence: 1, attempt: 1 });
    }),
  );

  test(
    'A1: what is unknown is null or empty, never an error',
    over(open, async ({ tasks, queue }) => {
      await expect(tasks.get('nobody')).resolves.toBeNull();
      await expect(tasks.requestBody('nobody')).resolves.toBeNull();
      await expect(tasks.answer('nobody')).resolves.toBeNull();
      await expect(tasks.attempts('nobody')).resolves.toEqual([]);
      await expect(tasks.requestCancel('nobody', 'operator', now)).resolves.toBeNull();
      await expect(queue.claim('nobody', target, 'process-1', now, 30_000)).resolves.toBeNull();
      await expect(tasks.settle('nobody', 'process-1', settlement())).resolves.toBe(false);
    }),
  );

  test(
    'A1: a task that cannot be written fails alone and leaves no row, its neighbours are accepted',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 'taken' }), 0);
      const wanted = [...ids(20), 'taken', ...ids(40).slice(20)];
      const outcomes = await Promise.allSettled(
        wanted.map((id) => tasks.accept(newTask({ id, body: `{"id":"${id}"}` }), 0)),
      );
      const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [wanted[index]] : []));
      expect(failed).toEqual(['taken']);
      expect(outcomes[20]).toMatchObject({ reason: expect.any(ConstraintViolation) });
      await expect(tasks.open(100)).resolves.toHaveLength(41);
      await expect(tasks.requestBody('taken')).resolves.toBe(newTask({ id: 'taken' }).body);
    }),
  );

  test(
    'A3: 200 concurrent accepts do not overshoot a hard limit of 50',
    over(open, async ({ tasks }) => {
      const outcomes = await Promise.all(ids(200).map((id) => tasks.accept(newTask({ id }), 50)));
      expect(outcomes.filter((outcome) => outcome.kind === 'accepted')).toHaveLength(50);
      expect(outcomes.filter((outcome) => outcome.kind === 'capacity_exceeded')).toHaveLength(150);
      await expect(tasks.open(1_000)).resolves.toHaveLength(50);
      await expect(tasks.countByState()).resolves.toMatchObject({ queued: 50 });
    }),
  );

  test(
    'A3: the limit counts non-terminal tasks only, and 0 means none',
    over(open, async ({ tasks, queue }) => {
      await tasks.accept(newTask({ id: 't1' }), 1);
      await expect(tasks.accept(newTask({ id: 't2' }), 1)).resolves.toEqual({ kind: 'capacity_exceeded' });
      await expect(tasks.get('t2')).resolves.toBeNull();
      await expect(tasks.requestBody('t2')).resolves.toBeNull();
      await expect(tasks.accept(newTask({ id: 't3' }), 0)).resolves.toEqual({ kind: 'accepted' });
      for (const id of ['t1', 't3']) {
        const claim = await queue.claim(id, target, 'process-1', now, 30_000);
        await queue.finish(id, claim!.fence, attemptEnd(), settlement());
      }
      await expect(tasks.accept(newTask({ id: 't4' }), 1)).resolves.toEqual({ kind: 'accepted' });
    }),
  );
}
