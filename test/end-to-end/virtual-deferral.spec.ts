/** Requests that find every member on a cooldown wait for the first one to end, and nothing is lost meanwhile. */
import { chat, get, post, taskDetail, untilTask, withSoai } from '../harness';
import { status } from '../upstream';
import { memberOf, virtualModels } from './virtual-settings';

/** Long enough to ask several things inside it, short enough to wait for. */
const WINDOW_SEC = 2.5;
const WINDOW_MS = WINDOW_SEC * 1_000;
const LATE_MS = 1_500;
/** What a loaded machine may add to everything. */
const SLACK_MS = 2_000;

const NAMES = ['t35', 'client-fault', 'deadline', 'leaves', 'killed', 't38'];

const fixture = withSoai((upstream) =>
  virtualModels(
    upstream,
    NAMES.map((name) => ({ name })),
    {
      MODELS: {
        ROUTING: {
          DURABLE_QUEUE_LEASE_TTL_SEC: 3,
          DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.5,
          RETRY: { MAX_DELAY_SEC: 3 },
          HEALTH_CHECKS: { VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: WINDOW_SEC, FAILURE_THRESHOLD: 50 },
        },
      },
    },
  ),
);

const ask = (model: string, headers: Record<string, string> = {}) => chat(fixture.soai, model, {}, { headers });
const script = (name: string, suffix: string) => fixture.upstream.model(memberOf(name, suffix));
const calls = (name: string): number => script(name, 'a').requests.length + script(name, 'b').requests.length;

/** Both members fail, so that they and the virtual model are on cooldown; they work again afterwards. */
async function failOnce(name: string): Promise<void> {
  for (const suffix of ['a', 'b']) script(name, suffix).always(status(503));
  expect((await ask(name)).status).toBe(502);
  for (const suffix of ['a', 'b']) script(name, suffix).always(null);
}

test('T35, G15, D7: a request inside the cooldown is deferred, and answered when it ends', async () => {
  await failOnce('t35');
  const failedAt = performance.now();
  const before = calls('t35');
  const answer = ask('t35');
  const waiting = await untilTask(fixture.soai, 't35', ({ state }) => state === 'deferred');
  expect(waiting).toMatchObject({ reason: 'backends_on_cooldown', queue_position: null });
  const queue = await get<{ running: number; deferred: number; waiting: unknown[] }>(fixture.soai, '/api/v1/queue');
  expect(queue).toMatchObject({ running: 0, deferred: 1 });
  expect((await answer).status).toBe(200);
  const took = performance.now() - failedAt;
  expect(took).toBeGreaterThan(WINDOW_MS - 500);
  expect(took).toBeLessThan(WINDOW_MS + LATE_MS + SLACK_MS);
  expect(calls('t35')).toBe(before + 1);
  const { attempts, plan, state, reason } = await taskDetail(fixture.soai, waiting.id);
  expect([attempts.length, state, reason]).toEqual([1, 'completed', null]);
  expect(plan.map(({ dropped }) => dropped)).toEqual([null, null]);
});

test('D7: a request at fault itself parks nobody', async () => {
  script('client-fault', 'a').always(status(400));
  expect((await ask('client-fault')).status).toBe(400);
  script('client-fault', 'a').always(null);
  const start = performance.now();
  expect((await ask('client-fault')).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(WINDOW_MS - 500);
});

test('D7, K: a client whose deadline passes during the cooldown is told of the cooldown', async () => {
  await failOnce('deadline');
  const answer = await ask('deadline', { 'x-stainless-timeout': '1' });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { code: 'backends_on_cooldown', transient: true } });
});

test('A10: a client that leaves while its request is deferred ends it', async () => {
  await failOnce('leaves');
  const before = calls('leaves');
  const leave = new AbortController();
  const answer = chat(fixture.soai, 'leaves', {}, { signal: leave.signal }).catch(() => null);
  await untilTask(fixture.soai, 'leaves', ({ state }) => state === 'deferred');
  leave.abort();
  await answer;
  const task = await untilTask(fixture.soai, 'leaves', ({ state }) => state === 'cancelled');
  expect(task.reason).toBe('client_disconnected');
  expect(calls('leaves')).toBe(before);
});

test('C1, D7: a deferred background request survives the death of its process', async () => {
  await failOnce('killed');
  const created = await post(fixture.soai, '/v1/responses', { model: 'killed', input: 'hi', background: true });
  expect(created.status).toBe(200);
  await untilTask(fixture.soai, 'killed', ({ state, background }) => background && state === 'deferred');
  await fixture.soai.kill('SIGKILL');
  await fixture.soai.ensureRunning();
  const task = await untilTask(fixture.soai, 'killed', ({ background, state }) => background && state === 'completed');
  expect(task.served_by).toMatchObject({ model: 'killed-a' });
});

test('T38, G17: a member that is disabled while a request waits to try it again is not called any more', async () => {
  const { soai } = fixture;
  const model = { id: 't38-x', plugin: 't38-a', capabilities: ['chat'] };
  expect((await post(soai, '/api/v1/models', model)).status).toBe(201);
  const virtual = { name: 't38-vm', strategy: 'failover', members: ['t38-b', 't38-x'] };
  expect((await post(soai, '/api/v1/virtual-models', virtual)).status).toBe(201);
  script('t38', 'b').always(status(503));
  fixture.upstream.model('t38-x').always(status(429, { 'retry-after': '2' }));
  const answer = ask('t38-vm');
  await fixture.upstream.model('t38-x').answered(1);
  const disabled = await fetch(`${soai.url}/api/v1/models/t38-x`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${soai.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: false }),
  });
  expect(disabled.status).toBe(200);
  expect(await (await answer).json()).toMatchObject({
    error: { code: 'no_eligible_member', message: expect.stringContaining('t38-x is disabled') },
  });
  expect(fixture.upstream.model('t38-x').requests).toHaveLength(1);
});

test('D8: a disabled virtual model refuses requests; its members go on', async () => {
  const { soai } = fixture;
  const virtual = { name: 'off', strategy: 'failover', members: ['leaves-a', 'leaves-b'] };
  expect((await post(soai, '/api/v1/virtual-models', virtual)).status).toBe(201);
  expect((await ask('off')).status).toBe(200);
  expect((await post(soai, '/api/v1/virtual-models/off/disable', {})).status).toBe(200);
  const answer = await ask('off');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    error: { code: 'model_not_found', param: 'model', message: expect.stringContaining('disabled') },
  });
  expect((await ask('leaves-a')).status).toBe(200);
});
