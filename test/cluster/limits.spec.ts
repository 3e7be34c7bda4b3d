/** Limits, take-overs and cancellations over two processes on one ledger. */
import type { Task } from '../../api/contract/management';
import { backends, chat, ended, get, merge, post, untilTask } from '../harness';
import type { Soai } from '../harness/soai';
import { type Answer, completion, halfOpen, json, times } from '../upstream';
import { chatAs, describeCluster, withTwoProcesses } from './two-processes';

/** Answers after a while; knows how many were at work at once. */
function counting(ms: number): { readonly answer: Answer; readonly most: () => number } {
  let [now, most] = [0, 0];
  const answer: Answer = async (exchange) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, ms));
    now -= 1;
    await json(completion('done'))(exchange);
  };
  return { answer, most: () => most };
}

describeCluster('two processes on one ledger', () => {
  const OWNER_LIMIT = 4;
  const cluster = withTwoProcesses(({ url }) =>
    merge(
      backends(
        { id: 'three', url, models: ['three', 'killed'], maxConcurrentTasks: 3 },
        { id: 'wide', url, models: ['wide', 'cancelled'], maxConcurrentTasks: 32 },
      ),
      {
        MODELS: {
          ROUTING: {
            MAX_RUNNING_TASKS_PER_OWNER: OWNER_LIMIT,
            DURABLE_QUEUE_LEASE_TTL_SEC: 2,
            DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.5,
          },
        },
      },
    ),
  );

  const both = (): readonly Soai[] => [cluster.first, cluster.second];
  const statusOf = async (asking: Promise<Response>): Promise<number> => {
    const answer = await asking;
    await answer.text();
    return answer.status;
  };

  test("A5: 60 requests through both: never more than the plugin's three at the backend, and all are answered", async () => {
    const { answer, most } = counting(40);
    cluster.upstream.model('three').always(answer);
    const keyOf = (index: number): string => both()[(index >> 1) % 2]!.key;
    const statuses = await Promise.all(
      times(60, (index) => statusOf(chatAs(both()[index % 2]!, keyOf(index), 'three'))),
    );
    expect(statuses).toEqual(times(60, () => 200));
    expect(most()).toBeLessThanOrEqual(3);
    expect(most()).toBeGreaterThan(1);
  });

  test("A5: one owner's requests through both: never more than its limit, and all are answered", async () => {
    const { answer, most } = counting(40);
    cluster.upstream.model('wide').always(answer);
    const { key } = cluster.first;
    const statuses = await Promise.all(times(40, (index) => statusOf(chatAs(both()[index % 2]!, key, 'wide'))));
    expect(statuses).toEqual(times(40, () => 200));
    expect(most()).toBeLessThanOrEqual(OWNER_LIMIT);
    expect(most()).toBeGreaterThan(1);
  });

  test('A10: a cancellation asked for in the other process ends the call', async () => {
    const model = cluster.upstream.model('cancelled');
    model.answers(halfOpen);
    const asking = chat(cluster.second, 'cancelled');
    await model.request(1);
    const { id } = await untilTask(cluster.second, 'cancelled', ({ state }) => state === 'running');
    const asked = performance.now();
    expect((await post(cluster.first, `/api/v1/tasks/${id}/cancel`, {})).status).toBe(200);
    await model.closed(1);
    // A second by the specification; a machine that does other things gets some more.
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect((await asking).status).toBeGreaterThanOrEqual(400);
    expect(await ended(cluster.first, 'cancelled', id)).toMatchObject({
      state: 'cancelled',
      reason: 'cancelled_by_user',
    });
  });

  test('A5, C1: the seats of a process that was killed come back, and its work is run by the other', async () => {
    const model = cluster.upstream.model('killed');
    model.answers(...times(3, () => halfOpen));
    const cut = times(3, () => expect(statusOf(chat(cluster.second, 'killed'))).rejects.toThrow());
    await model.request(3);
    const waiting = chat(cluster.first, 'killed');
    await cluster.second.kill('SIGKILL');
    await Promise.all(cut);
    expect(await statusOf(waiting)).toBe(200);
    const { data } = await get<{ data: Task[] }>(cluster.first, '/api/v1/tasks?model=killed');
    expect(data).toHaveLength(4);
    for (const { id } of data) expect(await ended(cluster.first, 'killed', id)).toMatchObject({ state: 'completed' });
  });
});
