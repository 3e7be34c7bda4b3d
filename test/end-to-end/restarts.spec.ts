/** What becomes of requests when the process ends, kindly or not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '../../api/contract/management';
import { backends, chat, ended, endedOf, get, readStream, taskDetail, untilTask, withSoai } from '../harness';
import { chunk, completion, ev, halfOpen, hold, json, role, stream, times } from '../upstream';
import { settings } from './settings';

const MODELS = 'c2 c7 c8-drain c8-sync c8-keyed c8-second a9-restart'.split(' ');
const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'up', url: upstream.url, models: MODELS },
      { id: 'one', url: upstream.url, models: ['t72'], maxConcurrentTasks: 1 },
    ),
    {
      SERVER: { SHUTDOWN_DRAIN_SEC: 1.5 },
      MODELS: { ROUTING: { DURABLE_QUEUE_LEASE_TTL_SEC: 2, DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.5 } },
    },
  ),
);

const marker = () => join(fixture.soai.dataDir, 'soai_process.dirty');
const answerOf = (id: string) =>
  get<{ choices: { message: { content: string } }[] }>(fixture.soai, `/api/v1/tasks/${id}/response`);
const cut = (answer: Promise<unknown>) => expect(answer).rejects.toThrow();
/** The client's end of a request whose server dies. */
const expectCut = (asking: Promise<Response>) => cut(asking.then((answer) => answer.text()));

test('C2: kill -9 in mid-request, start again: the task is run again and the next request works', async () => {
  const model = fixture.upstream.model('c2');
  model.answers(halfOpen);
  const asking = expectCut(chat(fixture.soai, 'c2'));
  await model.request(1);
  const { id } = await untilTask(fixture.soai, 'c2', (task) => task.state === 'running');
  await fixture.soai.kill('SIGKILL');
  await asking;
  expect(existsSync(marker())).toBe(true);
  await fixture.soai.restart();
  expect(await ended(fixture.soai, 'c2', id)).toMatchObject({ id, state: 'completed', takeovers: 1 });
  expect((await taskDetail(fixture.soai, id)).attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'ok']);
  expect((await answerOf(id)).choices[0]?.message.content).toBe('echo: hi');
  expect(model.requests).toHaveLength(2);
  expect((await chat(fixture.soai, 'c2')).status).toBe(200);
});

test('C7: a stream cut by a crash is not run again into the client; the stored answer is whole', async () => {
  const model = fixture.upstream.model('c7');
  model.answers(stream([ev(role()), ev(chunk('first ')), ev(chunk('half'))], { then: 'stall' }));
  const answer = await chat(fixture.soai, 'c7', { stream: true });
  const id = answer.headers.get('x-soai-task-id') ?? '';
  const gone = hold();
  const reading = readStream(answer, (text) => text.includes('half') && gone.open());
  const wasCut = cut(reading);
  await gone.opened;
  await fixture.soai.kill('SIGKILL');
  await wasCut;
  await fixture.soai.restart();
  expect(await ended(fixture.soai, 'c7', id)).toMatchObject({ state: 'completed' });
  expect((await answerOf(id)).choices[0]?.message.content).toBe('echo: hi');
});

test('T72: kill -9 with one running and five queued: all six run to their end under their own ids', async () => {
  const model = fixture.upstream.model('t72');
  model.answers(halfOpen);
  const asking = times(6, () => expectCut(chat(fixture.soai, 't72')));
  await model.request(1);
  const ids = new Set<string>();
  await untilTask(fixture.soai, 't72', ({ id }) => ids.add(id).size === 6);
  await fixture.soai.kill('SIGKILL');
  await Promise.all(asking);
  await fixture.soai.restart();
  const tasks = await Promise.all([...ids].map((id) => ended(fixture.soai, 't72', id)));
  expect(tasks.map(({ state }) => state)).toEqual(times(6, () => 'completed'));
  expect(model.requests).toHaveLength(7);
});

test('A9: an idempotency key survives a restart', async () => {
  const ask = () => chat(fixture.soai, 'a9-restart', {}, { headers: { 'idempotency-key': 'kept' } });
  const first = await ask();
  await fixture.soai.restart();
  const again = await ask();
  expect(again.status).toBe(200);
  expect(again.headers.get('x-soai-task-id')).toBe(first.headers.get('x-soai-task-id'));
  expect(await again.text()).toBe(await first.text());
  expect(fixture.upstream.model('a9-restart').requests).toHaveLength(1);
});

describe('C8: SIGTERM', () => {
  afterEach(() => fixture.soai.ensureRunning());

  test('C8: what can end while draining is answered; then a clean exit', async () => {
    const gate = hold();
    fixture.upstream.model('c8-drain').answers(json(completion('just in time'), { beforeHead: gate }));
    const asking = chat(fixture.soai, 'c8-drain');
    await fixture.upstream.model('c8-drain').request(1);
    const lines = fixture.soai.logs().length;
    const stopping = fixture.soai.stop();
    await fixture.soai.log.until('stopping', ({ msg }) => msg?.startsWith('stopping') ?? false, 5_000, lines);
    gate.open();
    const answer = await asking;
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('just in time');
    expect(await stopping).toEqual({ code: 0, signal: null });
    expect(existsSync(marker())).toBe(false);
  });

  test('C8: a synchronous request that was given nothing gets 503 and may be sent again', async () => {
    fixture.upstream.model('c8-sync').answers(halfOpen);
    const asking = chat(fixture.soai, 'c8-sync');
    await fixture.upstream.model('c8-sync').request(1);
    const stopping = fixture.soai.stop();
    const answer = await asking;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-should-retry')).toBe('true');
    expect(await answer.json()).toMatchObject({ error: { code: 'shutting_down' } });
    expect((await stopping).code).toBe(0);
    await fixture.soai.restart();
    expect(await endedOf(fixture.soai, 'c8-sync')).toMatchObject({ state: 'cancelled', reason: 'shutting_down' });
  });

  test('C8: work under an idempotency key goes on in the next process', async () => {
    const model = fixture.upstream.model('c8-keyed');
    model.answers(halfOpen);
    const keyed = () => chat(fixture.soai, 'c8-keyed', {}, { headers: { 'idempotency-key': 'go-on' } });
    const asking = keyed();
    await model.request(1);
    const stopping = fixture.soai.stop();
    expect((await asking).status).toBe(503);
    expect((await stopping).code).toBe(0);
    await fixture.soai.restart();
    expect(await endedOf(fixture.soai, 'c8-keyed')).toMatchObject({ state: 'completed' });
    expect((await keyed()).status).toBe(200);
    expect(model.requests).toHaveLength(2);
  });

  test('C8: a second signal ends it at once, and the marker stays', async () => {
    fixture.upstream.model('c8-second').answers(halfOpen);
    const asking = expectCut(chat(fixture.soai, 'c8-second'));
    await fixture.upstream.model('c8-second').request(1);
    const lines = fixture.soai.logs().length;
    const stopping = fixture.soai.kill('SIGTERM');
    await fixture.soai.log.until('stopping', ({ msg }) => msg?.startsWith('stopping') ?? false, 5_000, lines);
    const signalled = performance.now();
    const { code } = await fixture.soai.kill('SIGTERM');
    expect(performance.now() - signalled).toBeLessThan(1_000);
    expect(code).not.toBe(0);
    await stopping;
    await asking;
    expect(existsSync(marker())).toBe(true);
    await fixture.soai.restart();
    expect(await endedOf(fixture.soai, 'c8-second')).toMatchObject({ state: 'completed', takeovers: 1 });
  });
});

test('I: no task is left without an end', async () => {
  const { data } = await get<{ data: Task[] }>(fixture.soai, '/api/v1/tasks?state=running');
  expect(data).toEqual([]);
});
