/** Clients that leave, wait, and ask twice. */
import type { QueueSnapshot } from '../../api/contract/management';
import { backends, chat, endedOf, get, readStream, untilTask, withSoai } from '../harness';
import { chunk, completion, DONE, ev, fin, halfOpen, hold, json, role, stream, times } from '../upstream';
import { settings } from './settings';

const FIRST_BYTE_SEC = 3;
const MODELS = 'a9-many a9-body a9-leave a9-stream named t67-unary t67-stream t71-in-time t71-late'.split(' ');
const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'up', url: upstream.url, models: MODELS },
      { id: 'one', url: upstream.url, models: ['slot', 'slot-next'], maxConcurrentTasks: 1 },
      { id: 'queue', url: upstream.url, models: ['t69-holds', 't69'], maxConcurrentTasks: 1 },
    ),
    { MODELS: { ROUTING: { TIMEOUTS: { FIRST_BYTE_SEC }, RETRY: { TRANSIENT_RETRIES: 0 } } } },
  ),
);

const keyed = (model: string, key: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  chat(fixture.soai, model, more, { headers: { 'idempotency-key': key }, ...(signal && { signal }) });
const aborted = (answer: Promise<unknown>) => expect(answer).rejects.toThrow(/abort/i);

describe('A9: Idempotency-Key', () => {
  test('A9: 50 at once join one delivery, later ones get the same answer of the same task', async () => {
    const gate = hold();
    fixture.upstream.model('a9-many').answers(json(completion('once'), { beforeHead: gate }));
    const asking = times(50, () => keyed('a9-many', 'k1'));
    await fixture.upstream.model('a9-many').request(1);
    gate.open();
    const answers = [...(await Promise.all(asking)), await keyed('a9-many', 'k1')];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.get('x-soai-task-id'))).size).toBe(1);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    expect(fixture.upstream.model('a9-many').requests).toHaveLength(1);
  });

  test('A9: a stored stream is replayed as a stream', async () => {
    const [first, again] = [
      await readStream(await keyed('a9-stream', 'k2', { stream: true })),
      await readStream(await keyed('a9-stream', 'k2', { stream: true })),
    ];
    const text = (seen: typeof first) =>
      seen.events.map(({ data }) => /"content":"([^"]*)"/.exec(data)?.[1] ?? '').join('');
    expect(text(again)).toBe('echo: hi');
    expect(text(again)).toBe(text(first));
    expect(fixture.upstream.model('a9-stream').requests).toHaveLength(1);
  });

  test('A9: another body under the same key is a 422', async () => {
    expect((await keyed('a9-body', 'k3')).status).toBe(200);
    const reused = await keyed('a9-body', 'k3', { max_tokens: 3 });
    expect(reused.status).toBe(422);
    expect(await reused.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
    expect(fixture.upstream.model('a9-body').requests).toHaveLength(1);
  });

  test('A9: it is cancelled only when the last one leaves', async () => {
    const model = fixture.upstream.model('a9-leave');
    model.answers(halfOpen);
    const [first, second] = [new AbortController(), new AbortController()];
    const one = keyed('a9-leave', 'k4', {}, first.signal);
    await model.request(1);
    const two = keyed('a9-leave', 'k4', {}, second.signal);
    // Joined once its own answer could be read: the task list is served after it on the same server.
    await untilTask(fixture.soai, 'a9-leave', (task) => task.state === 'running');
    first.abort();
    await aborted(one);
    expect((await get<{ status: string }>(fixture.soai, '/api/v1/system/health')).status).toBe('ok');
    expect(model.requests[0]?.closedAt).toBeNull();
    second.abort();
    await aborted(two);
    await model.closed(1, 2_000);
    expect(await endedOf(fixture.soai, 'a9-leave')).toMatchObject({
      state: 'cancelled',
      reason: 'client_disconnected',
    });
  });
});

describe('A10, T67: the client leaves in mid-answer', () => {
  test.each([
    ['t67-unary', {}, halfOpen],
    ['t67-stream', { stream: true }, stream([ev(role()), ev(chunk('a'))], { then: 'stall' })],
  ] as const)('%s: the backend sees its connection closed within a second', async (name, more, answer) => {
    const model = fixture.upstream.model(name);
    model.answers(answer);
    const leave = new AbortController();
    const asking = chat(fixture.soai, name, more, { signal: leave.signal });
    if ('stream' in more) await (await asking).body?.getReader().read();
    await model.request(1);
    const left = performance.now();
    leave.abort();
    if (!('stream' in more)) await aborted(asking);
    const { closedAt, answeredAt } = await model.closed(1, 5_000);
    expect((closedAt ?? 0) - left).toBeLessThan(1_000);
    expect(answeredAt).toBeNull();
    expect(await endedOf(fixture.soai, name)).toMatchObject({ state: 'cancelled', reason: 'client_disconnected' });
  });

  test('A10: the slot is free again within a second', async () => {
    fixture.upstream.model('slot').answers(halfOpen);
    const leave = new AbortController();
    const asking = chat(fixture.soai, 'slot', {}, { signal: leave.signal });
    await fixture.upstream.model('slot').request(1);
    const next = chat(fixture.soai, 'slot-next');
    await untilTask(fixture.soai, 'slot-next', (task) => task.state === 'queued');
    const left = performance.now();
    leave.abort();
    await aborted(asking);
    expect((await next).status).toBe(200);
    const started = fixture.upstream.model('slot-next').requests[0]?.receivedAt ?? Infinity;
    expect(started - left).toBeLessThan(1_000);
  });
});

test('T69: a queued request whose client leaves is never dispatched, and the queue is one shorter', async () => {
  const gate = hold();
  fixture.upstream.model('t69-holds').answers(json(completion('held'), { beforeHead: gate }));
  const holding = chat(fixture.soai, 't69-holds');
  await fixture.upstream.model('t69-holds').request(1);
  const leave = new AbortController();
  const queued = chat(fixture.soai, 't69', {}, { signal: leave.signal });
  await untilTask(fixture.soai, 't69', (task) => task.state === 'queued' && task.queue_position !== null);
  const waiting = async () => (await get<QueueSnapshot>(fixture.soai, '/api/v1/queue')).waiting;
  expect(await waiting()).toBe(1);
  leave.abort();
  await aborted(queued);
  expect(await endedOf(fixture.soai, 't69')).toMatchObject({ state: 'cancelled', reason: 'client_disconnected' });
  expect(await waiting()).toBe(0);
  gate.open();
  expect((await holding).status).toBe(200);
  expect(fixture.upstream.model('t69').requests).toHaveLength(0);
});

test('T71: a slow backend is waited for as long as the setting says, and no longer', async () => {
  const after = (seconds: number) => json(completion('slow'), { beforeHead: seconds * 1000 });
  fixture.upstream.model('t71-in-time').answers(after(FIRST_BYTE_SEC - 1));
  fixture.upstream.model('t71-late').answers(after(FIRST_BYTE_SEC + 2));
  const [inTime, late] = await Promise.all([chat(fixture.soai, 't71-in-time'), chat(fixture.soai, 't71-late')]);
  expect(inTime.status).toBe(200);
  expect(late.status).toBe(504);
  expect(await late.json()).toMatchObject({ error: { code: 'upstream_timeout' } });
  const [asked] = fixture.upstream.model('t71-late').requests;
  const { closedAt } = await fixture.upstream.model('t71-late').closed(1);
  const waited = ((closedAt ?? 0) - (asked?.receivedAt ?? 0)) / 1000;
  expect(waited).toBeGreaterThan(FIRST_BYTE_SEC - 0.2);
  expect(waited).toBeLessThan(FIRST_BYTE_SEC + 1);
});

test('I: the answer keeps the name that the client used', async () => {
  fixture.upstream
    .model('named')
    .answers(stream([ev(role('other')), ev(chunk('x', 'other')), ev(fin('stop', 'other')), DONE]));
  const seen = await readStream(await chat(fixture.soai, 'named', { stream: true }));
  const names = seen.events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => (JSON.parse(data) as { model: string }).model);
  expect(new Set(names)).toEqual(new Set(['named']));
});
