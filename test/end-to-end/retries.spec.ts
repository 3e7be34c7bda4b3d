/** How often a backend is asked, when, and what the client is told in the end. */
import { backends, chat, endedOf, pluginAction, readStream, taskDetail, withSoai } from '../harness';
import {
  completion,
  dateIn,
  hold,
  html,
  json,
  rateLimited,
  type RecordedRequest,
  reset,
  status,
  times,
  truncatedJson,
} from '../upstream';
import { settings } from './settings';

const MAX_DELAY_SEC = 4;
const MODELS = [
  't26',
  't27',
  't29',
  't29-500',
  'b1',
  'b1-408',
  'b2-fraction',
  'b2-zero',
  'b2-sliver',
  'b2-ms',
  'b2-nonsense',
  'b2-forever',
  'b4',
  'malformed',
];
const STATUSES = [400, 401, 403, 404, 409, 413, 422];
const fixture = withSoai((upstream) =>
  settings(
    backends(
      {
        id: 'up',
        url: upstream.url,
        models: [...MODELS, ...STATUSES.flatMap((code) => [`t30-${code}`, `t85-${code}`]), 't85-429'],
      },
      // Its first call must not meet a kept-alive connection: losing that one is repaired without counting (D21).
      { id: 'fresh', url: upstream.url, models: ['b1-reset'] },
      { id: 'one', url: upstream.url, models: ['b5-waits', 'b5-goes', 'f10', 't59'], maxConcurrentTasks: 1 },
      { id: 'two', url: upstream.url, models: ['t61-a'], maxConcurrentTasks: 2 },
      { id: 'other', url: upstream.url, models: ['t61-b'] },
    ),
    {
      MODELS: {
        ROUTING: {
          RETRY: { MAX_DELAY_SEC },
          TIMEOUTS: { FIRST_BYTE_SEC: 60 },
          VIRTUAL_MODELS: [{ NAME: 't61', STRATEGY: 'failover', MEMBERS: ['t61-a', 't61-b'] }],
        },
      },
    },
  ),
);

const ask = (model: string, more: Record<string, unknown> = {}) => chat(fixture.soai, model, more);
const requestsOf = (model: string): readonly RecordedRequest[] => fixture.upstream.model(model).requests;
const gapsOf = (model: string): number[] =>
  requestsOf(model)
    .slice(1)
    .map((request, i) => request.receivedAt - (requestsOf(model)[i]?.receivedAt ?? 0));
const errorBody = async (answer: Response) => ((await answer.json()) as { error: Record<string, unknown> }).error;

describe.each([
  ['b1', status(503)],
  ['b1-reset', reset],
  ['b1-408', status(408)],
] as const)('%s', (model, answer) => {
  test('B1: a transient failure is tried four times in all', async () => {
    fixture.upstream.model(model).always(answer);
    const seen = await ask(model);
    expect(seen.status).toBeGreaterThanOrEqual(500);
    expect(requestsOf(model)).toHaveLength(4);
    const { attempts } = await taskDetail(fixture.soai, seen.headers.get('x-soai-task-id') ?? '');
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual(times(4, (i) => [i + 1, 'transient']));
  });
});

test('B1: a 200 that is no answer (HTML, JSON that breaks off) is a transient failure', async () => {
  fixture.upstream.model('malformed').answers(html, truncatedJson);
  const seen = await ask('malformed');
  expect(seen.status).toBe(200);
  expect(requestsOf('malformed')).toHaveLength(3);
});

test('T29: nine 429 and then an answer: ten calls, waits that double up to the ceiling', async () => {
  fixture.upstream.model('t29').answers(...times(9, () => rateLimited()));
  const seen = await ask('t29');
  expect(seen.status).toBe(200);
  expect(requestsOf('t29')).toHaveLength(10);
  gapsOf('t29').forEach((gap, i) => {
    const delay = Math.min(MAX_DELAY_SEC * 1000, 10 * 2 ** i);
    expect(gap).toBeGreaterThanOrEqual(delay * 0.5 - 5);
    expect(gap).toBeLessThanOrEqual(delay + 1_500);
  });
});

test('T29: four 500 end it after the three retries', async () => {
  fixture.upstream.model('t29-500').answers(...times(4, () => status(500)));
  expect((await ask('t29-500')).status).toBe(502);
  expect(requestsOf('t29-500')).toHaveLength(4);
});

test('B2: 429 for ever ends after ten calls, as a 429', async () => {
  fixture.upstream.model('b2-forever').always(rateLimited({ 'retry-after-ms': 5 }));
  const seen = await ask('b2-forever');
  expect(seen.status).toBe(429);
  expect(requestsOf('b2-forever')).toHaveLength(10);
  expect(await endedOf(fixture.soai, 'b2-forever')).toMatchObject({ state: 'failed' });
});

test('T26: a Retry-After date is kept to', async () => {
  fixture.upstream.model('t26').answers(rateLimited({ 'retry-after': dateIn(3_000) }));
  expect((await ask('t26')).status).toBe(200);
  // The date has whole seconds, so it lies 2 to 3 s ahead.
  expect(gapsOf('t26')[0]).toBeGreaterThanOrEqual(1_900);
  expect(gapsOf('t26')[0]).toBeLessThanOrEqual(4_000);
});

test('T27: a Retry-After of a day waits the ceiling', async () => {
  fixture.upstream.model('t27').answers(rateLimited({ 'retry-after': 86_400 }));
  expect((await ask('t27')).status).toBe(200);
  expect(gapsOf('t27')[0]).toBeGreaterThanOrEqual(MAX_DELAY_SEC * 1000 - 50);
  expect(gapsOf('t27')[0]).toBeLessThanOrEqual(MAX_DELAY_SEC * 1000 + 1_000);
});

test.each([
  ['b2-fraction', { 'retry-after': '0.6' }, 600],
  ['b2-zero', { 'retry-after': '0' }, 0],
  ['b2-sliver', { 'retry-after-ms': '0.2' }, 0],
  ['b2-ms', { 'retry-after-ms': '600', 'retry-after': '3' }, 600],
  ['b2-nonsense', { 'retry-after': 'soon' }, 5],
] as const)('B2: %s', async (model, headers, waitMs) => {
  fixture.upstream.model(model).answers(rateLimited(headers));
  expect((await ask(model)).status).toBe(200);
  expect(gapsOf(model)[0]).toBeGreaterThanOrEqual(waitMs - 20);
  expect(gapsOf(model)[0]).toBeLessThanOrEqual(waitMs + 1_000);
});

test.each(STATUSES)('T30: a %i is asked once, and the client learns why', async (code) => {
  const model = `t30-${code}`;
  fixture.upstream.model(model).always(status(code, {}, 'A says: no such thing'));
  const seen = await ask(model);
  const error = await errorBody(seen);
  if (code === 401 || code === 403) {
    expect(seen.status).toBe(502);
    expect(error['code']).toBe('upstream_authentication_failed');
  } else {
    expect(seen.status).toBe(code);
    expect(error['message']).toBe('A says: no such thing');
  }
  expect(requestsOf(model)).toHaveLength(1);
});

test.each([400, 401])('T85: a %i on a stream is a status, not an event', async (code) => {
  const model = `t85-${code}`;
  fixture.upstream.model(model).always(status(code));
  const seen = await ask(model, { stream: true });
  expect(seen.status).toBe(code === 401 ? 502 : code);
  expect(seen.headers.get('content-type')).toMatch(/^application\/json/);
});

test('T85, B4: the final 429 on a stream keeps its Retry-After and says that retrying is over', async () => {
  fixture.upstream.model('t85-429').always(rateLimited({ 'retry-after-ms': 5, 'retry-after': 7 }));
  const seen = await ask('t85-429', { stream: true });
  expect(seen.status).toBe(429);
  expect(Number(seen.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(seen.headers.get('x-should-retry')).toBe('false');
});

test('B4: when the budget is spent the client is told not to retry', async () => {
  fixture.upstream.model('b4').always(status(500));
  expect((await ask('b4')).headers.get('x-should-retry')).toBe('false');
});

test('fault F10: what a client no longer waits for when its turn comes is never sent to a backend', async () => {
  const gate = hold();
  fixture.upstream.model('b5-goes').answers(json(completion('ok'), { beforeHead: gate }));
  const running = ask('b5-goes');
  await fixture.upstream.model('b5-goes').request(requestsOf('b5-goes').length + 1);
  const answer = await chat(fixture.soai, 'f10', {}, { headers: { 'x-stainless-timeout': '0.5' } });
  expect(answer.status).toBe(504);
  expect((await errorBody(answer))['code']).toBe('deadline_exceeded');
  gate.open();
  expect((await running).status).toBe(200);
  expect((await ask('t59')).status).toBe(200);
  expect(requestsOf('f10')).toHaveLength(0);
});

test('T59: a plugin that is restarted under running and queued work: each is answered or may be sent again', async () => {
  const model = fixture.upstream.model('t59');
  const before = requestsOf('t59').length;
  const gate = hold();
  model.always(json(completion('ok'), { beforeHead: gate }));
  const asking = times(4, () => ask('t59'));
  await model.request(before + 1);
  const restarting = pluginAction(fixture.soai, 'one', 'restart');
  gate.open();
  expect((await restarting).status).toBeLessThan(300);
  for (const { status } of await Promise.all(asking)) expect([200, 503]).toContain(status);
  expect((await ask('t59')).status).toBe(200);
});

test('T61: behind a 429 window of an hour every one of 20 queued requests ends within its own deadline', async () => {
  fixture.upstream.model('t61-a').always(rateLimited({ 'retry-after': 3_600 }));
  await Promise.all(
    times(20, async (at) => {
      const deadlineSec = 2 + (at % 4);
      const began = performance.now();
      const headers = { 'x-stainless-timeout': String(deadlineSec) };
      const answer = await chat(fixture.soai, 't61-a', {}, { headers });
      const tookMs = performance.now() - began;
      expect([429, 504]).toContain(answer.status);
      // A busy machine may be late, by far less than the window.
      expect(tookMs).toBeLessThan((deadlineSec + 5) * 1_000);
      const id = answer.headers.get('x-soai-task-id') ?? '';
      expect((await taskDetail(fixture.soai, id)).state).toBe('failed');
    }),
  );
});

test('T61: with another member behind it they are all answered there', async () => {
  fixture.upstream.model('t61-a').always(rateLimited({ 'retry-after': 3_600 }));
  const answers = await Promise.all(times(20, () => ask('t61')));
  expect(answers.map(({ status }) => status)).toEqual(times(20, () => 200));
  expect(new Set(answers.map(({ headers }) => headers.get('x-soai-served-by')))).toEqual(new Set(['t61-b']));
});

test('B5: a wait for a retry holds no slot', async () => {
  fixture.upstream.model('b5-waits').answers(rateLimited({ 'retry-after': 2 }));
  const waiting = ask('b5-waits');
  await fixture.upstream.model('b5-waits').answered(1);
  const other = await ask('b5-goes', { stream: true });
  expect((await readStream(other)).events.length).toBeGreaterThan(0);
  expect(requestsOf('b5-waits')).toHaveLength(1);
  expect((await waiting).status).toBe(200);
  expect(requestsOf('b5-waits')).toHaveLength(2);
});
