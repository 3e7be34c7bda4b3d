import type { NewTask } from '../../../store/records';
import { newTask, now } from '../samples';
import { over, type OpenStore } from './subject';

type Binding = NonNullable<NewTask['idempotency']>;

const keyed = (id: string, binding: Partial<Binding> = {}, fields: Partial<NewTask> = {}): NewTask =>
  newTask({
    id,
    ...fields,
    idempotency: { key: 'k', route: '/v1/chat/completions', bodyHash: 'h1', expiresAt: now + 86_400_000, ...binding },
  });

export function idempotency(open: OpenStore): void {
  test(
    'A9: of 50 accepts with one key at once, one is accepted and 49 name it',
    over(open, async ({ tasks }) => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => tasks.accept(keyed(`t${index}`), 0)));
      const winner = outcomes.findIndex((outcome) => outcome.kind === 'accepted');
      const duplicate = { kind: 'duplicate', taskId: `t${winner}`, sameBody: true };
      expect(outcomes.filter((_, index) => index !== winner)).toEqual(Array(49).fill(duplicate));
      await expect(tasks.open(100)).resolves.toMatchObject([{ id: `t${winner}` }]);
    }),
  );

  test(
    'A9: another body under the same key is told apart',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1'), 0);
      await expect(tasks.accept(keyed('t2', { bodyHash: 'h2' }), 0)).resolves.toEqual({
        kind: 'duplicate',
        taskId: 't1',
        sameBody: false,
      });
    }),
  );

  test(
    'A9: the scope of a key is its owner and route',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1'), 0);
      const others = [
        keyed('t2', {}, { owner: { kind: 'key', id: 'key-2' } }),
        keyed('t3', { route: '/v1/responses' }),
        keyed('t4', { key: 'other' }),
      ];
      for (const task of others) await expect(tasks.accept(task, 0)).resolves.toEqual({ kind: 'accepted' });
    }),
  );

  test(
    'A9: an expired binding is replaced, and the new one holds',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1', { expiresAt: now + 1_000 }), 0);
      const late = keyed('t2', { bodyHash: 'h2' }, { acceptedAt: now + 1_000 });
      await expect(tasks.accept(late, 0)).resolves.toEqual({ kind: 'accepted' });
      await expect(tasks.accept(keyed('t3', { bodyHash: 'h2' }, { acceptedAt: now + 1_001 }), 0)).resolves.toEqual({
        kind: 'duplicate',
        taskId: 't2',
        sameBody: true,
      });
    }),
  );

  test(
    'A9: a duplicate is answered at the hard limit; a refusal binds nothing',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1'), 1);
      await expect(tasks.accept(keyed('t2'), 1)).resolves.toMatchObject({ kind: 'duplicate', taskId: 't1' });
      const refused = keyed('t3', { key: 'other' });
      await expect(tasks.accept(refused, 1)).resolves.toEqual({ kind: 'capacity_exceeded' });
      await expect(tasks.accept(refused, 0)).resolves.toEqual({ kind: 'accepted' });
    }),
  );

  test(
    'A9: a task that cannot be written binds nothing',
    over(open, async ({ tasks }) => {
      await tasks.accept(newTask({ id: 'taken' }), 0);
      await expect(tasks.accept(keyed('taken'), 0)).rejects.toThrow();
      await expect(tasks.accept(keyed('t2'), 0)).resolves.toEqual({ kind: 'accepted' });
    }),
  );

  test(
    'A9: a key that was freed binds again; the task stays',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1'), 0);
      await tasks.unbindIdempotency('t1');
      await expect(tasks.accept(keyed('t2'), 0)).resolves.toEqual({ kind: 'accepted' });
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'queued' });
    }),
  );

  test(
    'A9: expired keys can be dropped; living ones stay',
    over(open, async ({ tasks }) => {
      await tasks.accept(keyed('t1', { key: 'old', expiresAt: now + 1 }), 0);
      await tasks.accept(keyed('t2', { key: 'new' }), 0);
      await expect(tasks.forgetExpiredKeys(now + 1)).resolves.toBe(1);
      await expect(tasks.accept(keyed('t3', { key: 'new' }), 0)).resolves.toMatchObject({ kind: 'duplicate' });
    }),
  );
}
