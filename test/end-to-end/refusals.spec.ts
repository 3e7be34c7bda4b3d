/** A full queue and full memory, as clients of every path meet them. */
import { DOOR_WAIT_MS } from '../../workflows/rules/ready-queue';
import type { QueueSnapshot } from '../../api/contract/management';
import { peakMemory } from '../faults/host';
import { backends, chat, get, post, untilTask, withSoai } from '../harness';
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

const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'one', url: upstream.url, models: ['a4'], maxConcurrentTasks: 1, capabilities: ['chat', 'embeddings'] },
      { id: 'up', url: upstream.url, models: ['f12'] },
    ),
    {
      SERVER: { MAX_BODY_BYTES: 8 * MIB },
      MODELS: { ROUTING: { QUEUE_CAPACITY: 1, MAX_REQUEST_BYTES_IN_MEMORY: BUDGET_MIB * MIB } },
    },
  ),
);

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

interface Refused {
  readonly error: { readonly code: string; readonly transient?: boolean };
}

test('A4, K: a queue that stays full is 503 queue_full after 10 s on every path, streams included', async () => {
  const { soai, upstream } = fixture;
  const gate = hold();
  upstream.model('a4').always(json(completion('ok'), { beforeHead: gate }));
  const running = chat(soai, 'a4');
  await upstream.model('a4').request(1);
  const queued = chat(soai, 'a4');
  await untilTask(soai, 'a4', ({ state }) => state === 'queued');
  const began = performance.now();
  const refused = await Promise.all(
    PATHS.map(async ([path, body]) => {
      const answer = await post(soai, path, { model: 'a4', ...body });
      const ms = performance.now() - began;
      const { error } = (await answer.json()) as Refused;
      const { status, headers } = answer;
      expect(ms).toBeGreaterThanOrEqual(DOOR_WAIT_MS);
      expect(ms).toBeLessThan(DOOR_WAIT_MS + LATE_MS);
      return [path, status, error.code, error.transient, headers.get('retry-after'), headers.get('x-should-retry')];
    }),
  );
  expect(refused).toEqual(PATHS.map(([path]) => [path, 503, 'queue_full', true, '2', 'true']));
  expect((await get<QueueSnapshot>(soai, '/api/v1/queue')).running).toBe(1);
  gate.open();
  expect([(await running).status, (await queued).status]).toEqual([200, 200]);
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
