/** A full queue and full memory, as clients of every path meet them. */
import { DOOR_WAIT_MS } from '../../workflows/rules/ready-queue';
import type { QueueSnapshot, Task } from '../../api/contract/management';
import { peakMemory } from '../faults/host';
import { backends, chat, contentOf, get, post, readStream, untilTask, withSoai } from '../harness';
import { completion, hold, json, times } from '../upstream';
import { settings } from './settings';

const MIB = 1024 * 1024;
const BODY_MIB = 6;
const BODIES = 40;
/** Two bodies fit. */
const BUDGET_MIB = 16;
/** Measured: 229 MiB with the budget, 1,283 MiB without one. */
const MOST_GROWTH_MIB = 600;
/** What a busy machine may add to the wait at the door, ms. */
const LATE_MS = 10_000;

const USER = [{ role: 'user', content: 'hi' }];
const PATHS: readonly (readonly [string, object])[] = [
  ['/v1/chat/completions', { messages: USER }],
  ['/v1/chat/completions', { messages: USER, stream: true }],
  ['/v1/embeddings', { input: 'hi' }],
  ['/v1/responses', { input: 'hi' }],
  ['/v1/responses', { input: 'hi', stream: true }],
  ['/v1/messages', { messages: USER, max_tokens: 9 }],
  ['/v1/messages', { messages: USER, max_tokens: 9, stream: true }],
];

const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'one', url: upstream.url, models: ['a4'], maxConcurrentTasks: 1, capabilities: ['chat', 'embeddings'] },
      { id: 'up', url: upstream.url, models: ['f12'] },
    ),
    {
      SERVER: { MAX_BODY_BYTES: 8 * MIB },
      MODELS: {
        ROUTING: {
          QUEUE_CAPACITY: 1,
          // One runs, one is queued, the others wait at the door.
          DURABLE_QUEUE_HARD_LIMIT_TASKS: PATHS.length + 2,
          MAX_REQUEST_BYTES_IN_MEMORY: BUDGET_MIB * MIB,
        },
      },
    },
  ),
);

interface Refused {
  readonly error: { readonly code: string; readonly transient?: boolean };
}

const toldOf = async (answer: Response): Promise<readonly unknown[]> => {
  const { error } = (await answer.json()) as Refused;
  const { status, headers } = answer;
  return [status, error.code, error.transient, headers.get('retry-after'), headers.get('x-should-retry')];
};

test('A4, T57, K: a queue that stays full is 503 queue_full after 10 s on every path; A3: at the hard limit nobody waits', async () => {
  const { soai, upstream } = fixture;
  const gate = hold();
  upstream.model('a4').always(json(completion('ok'), { beforeHead: gate }));
  const running = chat(soai, 'a4');
  await upstream.model('a4').request(1);
  const queued = chat(soai, 'a4', { stream: true });
  const next = await untilTask(soai, 'a4', ({ state }) => state === 'queued');
  expect(next).toMatchObject({ queue_position: 0 });
  const accepted = new Set<string>();
  const allAccepted = untilTask(soai, 'a4', ({ id }) => accepted.add(id).size === PATHS.length + 2);
  const began = performance.now();
  const refusals = Promise.all(
    PATHS.map(async ([path, body]) => {
      const answer = await post(soai, path, { model: 'a4', ...body });
      const ms = performance.now() - began;
      expect(ms).toBeGreaterThanOrEqual(DOOR_WAIT_MS);
      expect(ms).toBeLessThan(DOOR_WAIT_MS + LATE_MS);
      return [path, ...(await toldOf(answer))];
    }),
  );
  await allAccepted;
  for (const [path, body] of PATHS) {
    const answer = await post(soai, path, { model: 'a4', ...body });
    expect(await toldOf(answer)).toEqual([503, 'capacity_exceeded', true, '10', 'true']);
  }
  expect(await refusals).toEqual(PATHS.map(([path]) => [path, 503, 'queue_full', true, '2', 'true']));
  // Past the door its headers wait 10 s at most, and then tell its place.
  expect((await queued).headers.get('x-soai-queue-position')).toBe('0');
  expect((await get<QueueSnapshot>(soai, '/api/v1/queue')).running).toBe(1);
  gate.open();
  expect((await running).status).toBe(200);
  expect(contentOf(await readStream(await queued))).toBe('ok');
  const { data } = await get<{ data: Task[] }>(soai, '/api/v1/tasks?model=a4&state=failed');
  expect(data.map(({ reason }) => reason)).toEqual(PATHS.map(() => 'queue_full'));
});

test('F12: many huge bodies at once: answered or 503 request_memory_full, 413 above the limit, memory stays bounded', async () => {
  const { soai, upstream } = fixture;
  const gate = hold();
  upstream.model('f12').always(json(completion('ok'), { beforeHead: gate }));
  const bodyOf = (mib: number): string =>
    JSON.stringify({ model: 'f12', messages: [{ role: 'user', content: 'x'.repeat(mib * MIB) }] });
  const body = bodyOf(BODY_MIB);
  const before = peakMemory(soai.pid);
  const fates = await Promise.all(
    times(BODIES, async () => {
      const answer = await post(soai, '/v1/chat/completions', body);
      const text = await answer.text();
      // What was accepted stays in memory until somebody was refused for it.
      if (answer.status === 503) gate.open();
      return answer.status === 200 ? '200' : `${answer.status} ${(JSON.parse(text) as Refused).error.code}`;
    }),
  );
  expect([...new Set(fates)].sort()).toEqual(['200', '503 request_memory_full']);
  expect(peakMemory(soai.pid) - before).toBeLessThan(MOST_GROWTH_MIB);
  expect((await post(soai, '/v1/chat/completions', bodyOf(9))).status).toBe(413);
  expect((await post(soai, '/v1/chat/completions', body)).status).toBe(200);
});
