/** Limits, take-overs and cancellations over two processes on one ledger. */
import type { Task } from '../../api/contract/management';
import { backends, chat, ended, get, merge, post, untilTask } from '../harness';
import type { Soai } from '../harness/soai';
import { type Answer, completion, halfOpen, hold, json, times } from '../upstream';
import { chatAs, describeCluster, withTwoProcesses } from './two-processes';

/** Keeps a call at work long enough for one too many to show. */
const SERVICE_MS = 20;

/** The first ones wait until `limit` are at work at once, whenever that is; knows the most there ever were. */
function counting(limit: number): { readonly answer: Answer; readonly most: () => number } {
  let [now, most] = [0, 0];
  const reached = hold();
  const answer: Answer = async (exchange) => {
    now += 1;
    most = Math.max(most, now);
    if (now === limit) reached.open();
    await reached.opened;
    await new Promise((resolve) => setTimeout(resolve, SERVICE_MS));
    now -= 1;
    await json(completion('done'))(exchange);
  };
  return { answer, most: () => most };
}

describeCluster('two processes on one ledger', () => {
  const PLUGIN_LIMIT = 3;
  const OWNER_LIMIT = 4;
  const cluster = withTwoProcesses(({ url }) =>
    merge(
      backends(
        { id: 'three', url, models: ['three', 'killed'], maxConcurrentTasks: PLUGIN_LIMIT },
        { id: 'wide', url, models: ['wide', 'cancelled'], maxConcurrentTasks: 32 },
      ),
      {
        MODELS: {
          ROUTING: {
            MAX_RUNNING_TASKS_PER_OWNER: OWNER_LIMIT,
            // A process that a busy machine stops for so long loses its tasks, and the limits count leases only.
            DURABLE_QUEUE_LEASE_TTL_SEC: 4,
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

  test("A5: 40 requests through both: exactly the plugin's three at the backend at most, and all are answered", async () => {
    const { answer, most } = counting(PLUGIN_LIMIT);
    cluster.upstream.model('three').always(answer);
    const keyOf = (index: number): string => both()[(index >> 1) % 2]!.key;
    const statuses = await Promise.all(
      times(40, (index) => statusOf(chatAs(both()[index % 2]!, keyOf(index), 'three'))),
    );
    expect(statuses).toEqual(times(40, () => 200));
    expect(most()).toBe(PLUGIN_LIMIT);
  });

  test("A5: one owner's requests through both: exactly its limit at most, and all are answered", async () => {
    const { answer, most } = counting(OWNER_LIMIT);
    cluster.upstream.model('wide').always(answer);
    const { key } = cluster.first;
    const statuses = await Promise.all(times(30, (index) => statusOf(chatAs(both()[index % 2]!, key, 'wide'))));
    expect(statuses).toEqual(times(30, () => 200));
    expect(most()).toBe(OWNER_LIMIT);
  });

  test('A10: a cancellation asked for in the other process ends the call', async () => {
    const model = cluster.upstream.model('cancelled');
    model.answers(halfOpen);
    const asking = chat(cluster.second, 'cancelled');
    await model.request(1);
    const { id } = await untilTask(cluster.second, 'cancelled', ({ state }) => state === 'running');
    expect((await post(cluster.first, `/api/v1/tasks/${id}/cancel`, {})).status).toBe(200);
    await model.closed(1);
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
