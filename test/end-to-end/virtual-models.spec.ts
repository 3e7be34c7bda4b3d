/** Requests to virtual models: which member serves them, what moves on, what ends, and what the client reads. */
import type { TaskDetail } from '../../api/contract/management';
import { chat, post, readStream, chunksOf, taskDetail, withSoai } from '../harness';
import { completion, hold, json, rateLimited, reset, status, times } from '../upstream';
import { memberOf, virtualModels, type VirtualSettings } from './virtual-settings';

const ALL: readonly VirtualSettings[] = [
  ...['g13', 't32', 't33', 't40-409', 't40-429', 't40-503', 't40-401', 'd6-422', 't82', 'busy'].map((name) => ({
    name,
  })),
  { name: 't41', urls: { a: 'http://127.0.0.1:9/v1' } },
  { name: 't41-dns', urls: { a: 'http://no-such-host.invalid/v1' } },
  { name: 't43', strategy: 'load_balancing' },
  { name: 'g18', strategy: 'load_balancing', members: ['a', 'b', 'c'] },
  { name: 'g16', capabilities: { a: ['chat'], b: ['embeddings', 'tools'] } },
  { name: 'd3', capabilities: { a: ['chat'], b: ['chat', 'tools'] } },
];

const fixture = withSoai((upstream) =>
  virtualModels(upstream, ALL, {
    MODELS: { ROUTING: { RETRY: { MAX_DELAY_SEC: 0.02 }, HEALTH_CHECKS: { FAILURE_THRESHOLD: 50 } } },
  }),
);

const ask = (model: string, more: Record<string, unknown> = {}) => chat(fixture.soai, model, more);
const script = (name: string, suffix: string) => fixture.upstream.model(memberOf(name, suffix));
const callsOf = (name: string, ...suffixes: string[]): number[] =>
  (suffixes.length > 0 ? suffixes : ['a', 'b']).map((suffix) => script(name, suffix).requests.length);
const detailOf = (answer: Response): Promise<TaskDetail> =>
  taskDetail(fixture.soai, answer.headers.get('x-soai-task-id') ?? '');
const errorOf = async (answer: Response) => ((await answer.json()) as { error: Record<string, unknown> }).error;

test('G13: the first member fails before its first byte, the second one answers under the virtual name', async () => {
  script('g13', 'a').always(status(503));
  const answer = await ask('g13');
  expect([answer.status, answer.headers.get('x-soai-served-by')]).toEqual([200, 'g13-b']);
  expect(await answer.json()).toMatchObject({ model: 'g13' });
  const task = await detailOf(answer);
  expect(task).toMatchObject({ model: 'g13', served_by: { model: 'g13-b' }, state: 'completed' });
  expect(task.attempts.map(({ model, outcome }) => [model, outcome])).toEqual([['g13-a', 'transient'], ['g13-b', 'ok']]); // prettier-ignore
  expect(task.plan.map(({ model, dropped }) => [model, dropped])).toEqual([['g13-b', null], ['g13-a', 'tried']]); // prettier-ignore
  // D6: its cooldown keeps the next request away from it.
  const next = await detailOf(await ask('g13'));
  expect(next.plan.map(({ model, dropped }) => [model, dropped])).toEqual([['g13-b', null], ['g13-a', 'cooldown']]); // prettier-ignore
  expect(callsOf('g13')).toEqual([1, 2]);
});

test('T32: members that all fail: one call at the first, the ordinary budget at the last, one final error', async () => {
  for (const suffix of ['a', 'b']) script('t32', suffix).always(status(500));
  const answer = await ask('t32');
  expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false']);
  expect((await errorOf(answer)).code).toBe('bad_upstream_response');
  expect(callsOf('t32')).toEqual([1, 4]);
});

test('T33: a failover never goes back, and starts no budget anew', async () => {
  script('t33', 'a').always(status(500));
  script('t33', 'b').always(rateLimited());
  expect((await ask('t33')).status).toBe(429);
  expect(callsOf('t33')).toEqual([1, 10]);
});

test.each(['429', '503', '401'])('T40, D6: a %s of the first member is the second one’s turn', async (code) => {
  const name = `t40-${code}`;
  script(name, 'a').always(status(Number(code)));
  expect((await ask(name)).status).toBe(200);
  expect(callsOf(name)).toEqual([1, 1]);
});

test.each(['t40-409', 'd6-422'])(
  'D6: a request that is at fault itself ends at the first member (%s)',
  async (name) => {
    const code = Number(name.slice(-3));
    script(name, 'a').always(status(code, {}, 'your fault'));
    const answer = await ask(name);
    expect([answer.status, (await errorOf(answer)).message]).toEqual([code, 'your fault']);
    expect(callsOf(name)).toEqual([1, 0]);
    // No cooldown and no window either.
    script(name, 'a').always(null);
    expect((await ask(name)).headers.get('x-soai-served-by')).toBe(`${name}-a`);
  },
);

test.each(['t41', 't41-dns'])('T41: a member that can’t be reached at all is failed over (%s)', async (name) => {
  const answer = await ask(name);
  expect([answer.status, answer.headers.get('x-soai-served-by')]).toEqual([200, `${name}-b`]);
});

test('T37: a plain model gets no cooldown: the next request goes there at once', async () => {
  const model = memberOf('busy', 'a');
  fixture.upstream.model(model).always(reset);
  expect((await ask(model)).status).toBeGreaterThanOrEqual(500);
  fixture.upstream.model(model).always(null);
  expect((await ask(model)).status).toBe(200);
  expect((await ask('busy')).headers.get('x-soai-served-by')).toBe(model);
});

test('T43: load balancing does not send more to a member because it fails fast', async () => {
  script('t43', 'a').always(status(503));
  const statuses: number[] = [];
  const client = async () => {
    for (let i = 0; i < 25; i += 1) statuses.push((await ask('t43')).status);
  };
  await Promise.all(times(3, client));
  expect(statuses).toEqual(times(75, () => 200));
  expect(callsOf('t43', 'a')[0]).toBeLessThanOrEqual(3);
});

test('G18: three equal members take turns', async () => {
  for (let i = 0; i < 60; i += 1) await ask('g18');
  for (const calls of callsOf('g18', 'a', 'b', 'c')) {
    expect(calls).toBeGreaterThanOrEqual(18);
    expect(calls).toBeLessThanOrEqual(22);
  }
});

test('G16, D7: nobody can serve it: an immediate answer that names the requirement and each member’s lack', async () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const start = performance.now();
  const answer = await ask('g16', { tools });
  expect(performance.now() - start).toBeLessThan(1_000);
  expect(answer.status).toBe(400);
  const { code, message } = await errorOf(answer);
  expect(code).toBe('no_eligible_member');
  expect(message).toMatch(/tools.*g16-a lacks tools; g16-b lacks chat/);
  expect(callsOf('g16')).toEqual([0, 0]);
});

test('D3: a member that lacks what the request asks for is dropped, and the plan says why', async () => {
  const answer = await ask('d3', { tools: [{ type: 'function', function: { name: 'f' } }] });
  expect(answer.headers.get('x-soai-served-by')).toBe('d3-b');
  const { plan } = await detailOf(answer);
  expect(plan.map(({ model, dropped }) => [model, dropped])).toEqual([['d3-b', null], ['d3-a', 'missing_capability:tools']]); // prettier-ignore
  expect((await ask('d3')).headers.get('x-soai-served-by')).toBe('d3-a');
});

test('G17: a request that waits for a member’s slot goes elsewhere once that member fails', async () => {
  const open = hold();
  script('busy', 'a').always(json(completion('slow'), { beforeHead: open }));
  const before = callsOf('busy', 'a')[0] ?? 0;
  const waiting = times(64, () => ask('busy'));
  await script('busy', 'a').request(before + 64);
  const later = times(2, () => ask('busy'));
  script('busy', 'a').always(status(503));
  open.open();
  expect((await Promise.all([...waiting, ...later])).map(({ status: code }) => code)).toEqual(times(66, () => 200));
});

describe('T82, D5: the virtual name in every reply', () => {
  const models = async (answer: Response): Promise<unknown[]> => [((await answer.json()) as { model: unknown }).model];

  test('plain chat, completions, embeddings and responses', async () => {
    expect(await models(await ask('t82'))).toEqual(['t82']);
    expect(await models(await post(fixture.soai, '/v1/completions', { model: 't82', prompt: 'x' }))).toEqual(['t82']);
    expect(await models(await post(fixture.soai, '/v1/embeddings', { model: 't82', input: 'x' }))).toEqual(['t82']);
    expect(await models(await post(fixture.soai, '/v1/responses', { model: 't82', input: 'x' }))).toEqual(['t82']);
  });

  test('each chunk of a stream, and each response inside an event', async () => {
    const chunks = chunksOf(await readStream(await ask('t82', { stream: true })));
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['t82']));
    const streamed = await readStream(
      await post(fixture.soai, '/v1/responses', { model: 't82', input: 'x', stream: true }),
    );
    expect(streamed.text).not.toContain('"model":"t82-a"');
    expect(streamed.text).toContain('"model":"t82"');
  });

  test('whatever case the client writes it in', async () => {
    expect(await models(await ask('T82'))).toEqual(['t82']);
  });
});
