import { attemptEnd, newTask, now, settlement, target } from '../samples';
import { over, type OpenStore } from './subject';

const response = { id: 'resp_1', previousId: null, contextItems: 2 };

export function responses(open: OpenStore): void {
  test(
    'A1: a response is accepted with its task, and only where it is to be stored',
    over(open, async ({ tasks, responses: stored }) => {
      await Promise.all([
        tasks.accept(newTask({ id: 't1', response }), 0),
        tasks.accept(newTask({ id: 't2', response: null }), 0),
        tasks.accept(newTask({ id: 't3', response: { ...response, id: 'resp_3', previousId: 'resp_1' } }), 0),
      ]);
      await expect(stored.get('resp_1')).resolves.toEqual({
        ...response,
        taskId: 't1',
        accountId: 'account-1',
        createdAt: now,
      });
      await expect(stored.get('resp_3')).resolves.toMatchObject({ previousId: 'resp_1' });
      await expect(stored.get('resp_2')).resolves.toBeNull();
    }),
  );

  test(
    'I: erasing takes the content with it and leaves the task',
    over(open, async ({ tasks, queue, responses: stored }) => {
      await tasks.accept(newTask({ id: 't1', response }), 0);
      await stored.append('t1', { attempt: 1, first: 0, events: [['response.created', '{}']] });
      const claim = await queue.claim('t1', target, 'process-1', now, 30_000);
      await queue.finish('t1', claim!.fence, attemptEnd(), settlement());
      await expect(stored.erase('resp_1')).resolves.toBe(true);
      await expect(stored.erase('resp_1')).resolves.toBe(false);
      await expect(stored.get('resp_1')).resolves.toBeNull();
      await expect(stored.events('t1', -1, 10)).resolves.toEqual([]);
      await expect(tasks.requestBody('t1')).resolves.toBeNull();
      await expect(tasks.answer('t1')).resolves.toBeNull();
      await expect(tasks.get('t1')).resolves.toMatchObject({ state: 'completed' });
    }),
  );

  test(
    'K: the events of a background stream are read from any number on, with the attempt they are of',
    over(open, async ({ tasks, responses: stored }) => {
      await tasks.accept(newTask({ id: 't1', response }), 0);
      await expect(stored.lastAttempt('t1')).resolves.toBeNull();
      const events = (...names: string[]) => names.map((name) => [name, `{"${name}":1}`] as const);
      await stored.append('t1', { attempt: 1, first: 0, events: events('a', 'b') });
      await stored.append('t1', { attempt: 1, first: 2, events: events('c') });
      await stored.append('t1', { attempt: 2, first: 3, events: events('d', 'e') });
      await expect(stored.lastAttempt('t1')).resolves.toEqual({ attempt: 2, first: 3, next: 5 });
      await expect(stored.events('t1', 0, 10)).resolves.toEqual([
        { attempt: 1, sequence: 1, event: 'b', data: '{"b":1}' },
        { attempt: 1, sequence: 2, event: 'c', data: '{"c":1}' },
        { attempt: 2, sequence: 3, event: 'd', data: '{"d":1}' },
        { attempt: 2, sequence: 4, event: 'e', data: '{"e":1}' },
      ]);
      await expect(stored.events('t1', -1, 1)).resolves.toHaveLength(2);
      await expect(stored.append('t1', { attempt: 3, first: 3, events: events('x') })).rejects.toThrow();
    }),
  );
}
