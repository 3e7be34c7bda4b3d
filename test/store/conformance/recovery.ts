import { attemptEnd, newTask, now, processRow, settlement, target } from '../samples';
import type { Store } from '../../../store/store';
import { over, type OpenStore } from './subject';

const leaseMs = 30_000;

const orphanIds = async ({ queue }: Store, at: number, staleProcessMs?: number): Promise<string[]> =>
  (await queue.orphans(at, 100, staleProcessMs)).map((task) => task.id);

export function recovery(open: OpenStore): void {
  test(
    'C1: a task whose lease has expired is an orphan; one whose lease is alive is not',
    over(open, async (store) => {
      await store.processes.register(processRow('process-1', { heartbeatAt: now + leaseMs }));
      for (const id of ['t1', 't2']) {
        await store.tasks.accept(newTask({ id }), 0);
        await store.queue.claim(id, target, 'process-1', now, leaseMs);
      }
      await store.queue.renew('process-1', ['t2'], now + 1, leaseMs);
      await expect(orphanIds(store, now + leaseMs - 1)).resolves.toEqual([]);
      await expect(orphanIds(store, now + leaseMs)).resolves.toEqual(['t1']);
    }),
  );

  test(
    'C2: a waiting task is an orphan when its process stopped, fell silent or was never known',
    over(open, async (store) => {
      await store.processes.register(processRow('alive', { heartbeatAt: now }));
      await store.processes.register(processRow('silent', { heartbeatAt: now - 5_001 }));
      await store.processes.register(processRow('stopped', { heartbeatAt: now, stoppedAt: now }));
      const owners = ['alive', 'silent', 'stopped', 'unknown'];
      for (const incarnation of owners) await store.tasks.accept(newTask({ id: `of-${incarnation}`, incarnation }), 0);
      await expect(orphanIds(store, now, 5_000)).resolves.toEqual(['of-silent', 'of-stopped', 'of-unknown']);
      await expect(orphanIds(store, now)).resolves.toEqual(['of-stopped', 'of-unknown']);
      await store.processes.heartbeat('silent', now);
      await store.processes.stopped('alive', now);
      await expect(orphanIds(store, now, 5_000)).resolves.toEqual(['of-alive', 'of-stopped', 'of-unknown']);
    }),
  );

  test(
    'C2: a lease whose holder is recorded as stopped protects nothing',
    over(open, async (store) => {
      await store.processes.register(processRow('process-1'));
      await store.tasks.accept(newTask({ id: 't1' }), 0);
      await store.queue.claim('t1', target, 'process-1', now, leaseMs);
      await store.processes.stopped('process-1', now + 1);
      await expect(orphanIds(store, now + 2)).resolves.toEqual(['t1']);
      await expect(store.queue.takeOver('t1', 'process-2', now + 2)).resolves.toBe(true);
    }),
  );

  test(
    'C2: orphans come oldest first, whole, with their cancellation and deadline, up to the limit',
    over(open, async (store) => {
      for (const [index, id] of ['t3', 't1', 't2'].entries()) {
        await store.tasks.accept(newTask({ id, acceptedAt: now + index, deadlineAt: now + 1_000 + index }), 0);
      }
      await store.tasks.requestCancel('t1', 'operator', now + 5);
      await store.tasks.settle('t2', 'process-1', settlement());
      const orphans = await store.queue.orphans(now + 60_000, 2);
      expect(orphans).toMatchObject([
        { id: 't3', deadlineAt: now + 1_000, cancelRequested: null },
        { id: 't1', deadlineAt: now + 1_001, cancelRequested: { at: now + 5, reason: 'operator' } },
      ]);
      await expect(store.queue.orphans(now + 60_000, 1)).resolves.toHaveLength(1);
    }),
  );

  test(
    'C1: of 20 processes that take an orphan over at once, one gets it, and the old run is fenced off',
    over(open, async (store) => {
      const { tasks, queue, processes } = store;
      const takers = Array.from({ length: 20 }, (_, index) => `taker-${index}`);
      for (const taker of takers) await processes.register(processRow(taker, { heartbeatAt: now + leaseMs }));
      await tasks.accept(newTask({ id: 't1' }), 0);
      const old = await queue.claim('t1', target, 'process-1', now, leaseMs);
      const taken = await Promise.all(takers.map((taker) => queue.takeOver('t1', taker, now + leaseMs)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      const winner = takers[taken.indexOf(true)];
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'queued', incarnation: winner, takeovers: 1 });
      await expect(tasks.attempts('t1')).resolves.toMatchObject([{ outcome: 'lost', finishedAt: now + leaseMs }]);
      await expect(orphanIds(store, now + leaseMs)).resolves.toEqual([]);
      await expect(queue.renew('process-1', ['t1'], now + leaseMs, leaseMs)).resolves.toEqual([]);
      await expect(queue.finish('t1', old!.fence, attemptEnd(), settlement())).resolves.toBe(false);
      await expect(queue.claim('t1', target, winner!, now + leaseMs, leaseMs)).resolves.toEqual({
        fence: 3,
        attempt: 2,
      });
    }),
  );

  test(
    'C1: taking over a task that only waited is not counted against it',
    over(open, async ({ tasks, queue, processes }) => {
      await processes.register(processRow('process-1', { stoppedAt: now }));
      await processes.register(processRow('process-2'));
      await tasks.accept(newTask({ id: 't1' }), 0);
      await expect(queue.takeOver('t1', 'process-2', now)).resolves.toBe(true);
      await expect(queue.takeOver('t1', 'process-2', now)).resolves.toBe(false);
      await expect(tasks.get('t1')).resolves.toMatchObject({ takeovers: 0, incarnation: 'process-2' });
    }),
  );

  test(
    'C2: an orphan is ended once, with its open attempt; what somebody runs is not',
    over(open, async ({ tasks, queue, processes }) => {
      await processes.register(processRow('process-1', { heartbeatAt: now + leaseMs }));
      for (const id of ['expired', 'running']) {
        await tasks.accept(newTask({ id }), 0);
        await queue.claim(id, target, 'process-1', now, leaseMs);
      }
      await queue.renew('process-1', ['running'], now + 1, leaseMs);
      const ending = settlement({ state: 'failed', reason: 'server_restarted', answer: null, at: now + leaseMs });
      await expect(queue.endOrphan('running', ending, now + leaseMs)).resolves.toBe(false);
      await expect(queue.endOrphan('expired', ending, now + leaseMs)).resolves.toBe(true);
      await expect(queue.endOrphan('expired', ending, now + leaseMs)).resolves.toBe(false);
      await expect(tasks.get('expired')).resolves.toMatchObject({ state: 'failed', reason: 'server_restarted' });
      await expect(tasks.attempts('expired')).resolves.toMatchObject([{ outcome: 'lost', finishedAt: now + leaseMs }]);
    }),
  );

  test(
    'C2: work of a living process, and work that has ended, is not taken over',
    over(open, async ({ tasks, queue, processes }) => {
      await processes.register(processRow('process-1'));
      for (const id of ['waiting', 'running', 'ended']) await tasks.accept(newTask({ id }), 0);
      await queue.claim('running', target, 'process-1', now, leaseMs);
      await tasks.settle('ended', 'process-1', settlement());
      for (const id of ['waiting', 'running', 'ended', 'nobody']) {
        await expect(queue.takeOver(id, 'process-2', now + 1)).resolves.toBe(false);
      }
      await expect(tasks.get('running')).resolves.toMatchObject({ takeovers: 0, incarnation: 'process-1' });
    }),
  );
}
