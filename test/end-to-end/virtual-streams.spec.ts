/** Streams through a virtual model: what moves to the next member, and what the client is told once it was given something. */
import { chat, chunksOf, contentOf, endedOf, endsWithDone, errorOf, readStream, withSoai } from '../harness';
import { chunk, DONE, errorEvent, ev, fin, json, role, stream, times, usageChunk, usageOf } from '../upstream';
import { memberOf, virtualModels } from './virtual-settings';

const NAMES = [
  't13',
  't14',
  't16',
  't17',
  't18',
  't18-429',
  't21',
  't23-a',
  't23-b',
  't24',
  'k-hold',
  'usage',
  'rejects',
];

const fixture = withSoai((upstream) =>
  virtualModels(
    upstream,
    NAMES.map((name) => ({ name })),
    { SERVER: { KEEP_ALIVE_COMMENT_SEC: 1 }, MODELS: { ROUTING: { RETRY: { TRANSIENT_RETRIES: 1 } } } },
  ),
);

const ask = async (model: string) => readStream(await chat(fixture.soai, model, { stream: true }));
const script = (name: string, suffix: string) => fixture.upstream.model(memberOf(name, suffix));
const callsOf = (name: string): number[] => ['a', 'b'].map((suffix) => script(name, suffix).requests.length);
const rolesIn = (seen: Awaited<ReturnType<typeof ask>>): number =>
  chunksOf(seen).filter(({ choices }) => choices?.[0]?.delta.role).length;
const good = (text: string) => stream([ev(role()), ev(chunk(text)), ev(fin()), DONE]);

test('T13, G14: a stream cut mid-answer reaches the client as an error event; no other member is asked', async () => {
  script('t13', 'a').always(stream([ev(role()), ...times(40, () => ev(chunk('x')))], { then: 'fin' }));
  const seen = await ask('t13');
  expect(contentOf(seen)).toBe('x'.repeat(40));
  expect(errorOf(seen)).toMatchObject({ type: 'upstream_error', code: 'upstream_stream_interrupted' });
  expect(seen.text).not.toContain('[DONE]');
  expect(callsOf('t13')).toEqual([1, 0]);
  expect(await endedOf(fixture.soai, 't13')).toMatchObject({ state: 'failed', reason: 'upstream_stream_interrupted' });
});

test('T14: a backend that closes after its headers is failed over; the client sees the other one only', async () => {
  script('t14', 'a').always(stream([], { then: 'fin' }));
  script('t14', 'b').always(good('from b'));
  const seen = await ask('t14');
  expect([contentOf(seen), rolesIn(seen), endsWithDone(seen)]).toEqual(['from b', 1, true]);
  expect(callsOf('t14')).toEqual([1, 1]);
});

test('T16: one broken line is dropped and counted, the stream goes on', async () => {
  const before = times(9, () => ev(chunk('x')));
  const after = times(51, () => ev(chunk('y')));
  script('t16', 'a').always(stream([ev(role()), ...before, 'data: {"choices":[{"del\n\n', ...after, ev(fin()), DONE]));
  const seen = await ask('t16');
  expect([contentOf(seen), endsWithDone(seen)]).toEqual(['x'.repeat(9) + 'y'.repeat(51), true]);
  expect((await endedOf(fixture.soai, 't16')).bad_lines).toBe(1);
});

test('T17: after chunks were given a reset starts nothing anew', async () => {
  script('t17', 'a').always(stream([ev(role()), ...times(5, (i) => ev(chunk(`${i} `)))], { then: 'reset' }));
  const seen = await ask('t17');
  expect([contentOf(seen), rolesIn(seen)]).toEqual(['0 1 2 3 4 ', 1]);
  expect(errorOf(seen)?.code).toBe('upstream_stream_interrupted');
  expect(callsOf('t17')).toEqual([1, 0]);
});

test.each([
  ['t18', { message: 'overloaded', type: 'server_error', code: 'server_error' }],
  ['t18-429', { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
])('T18: an error event before any content is failed over (%s)', async (name, error) => {
  script(name, 'a').always(errorEvent([ev(role())], error));
  script(name, 'b').always(good('from b'));
  const seen = await ask(name);
  expect([contentOf(seen), rolesIn(seen)]).toEqual(['from b', 1]);
  expect(seen.text).not.toContain(error.message);
  expect(callsOf(name)).toEqual([1, 1]);
  // A has its cooldown: the next request does not go there.
  await ask(name);
  expect(callsOf(name)).toEqual([1, 2]);
});

test('T21: a slow first event is waited for, with comments; no failover because of it', async () => {
  script('t21', 'a').always(stream([12_000, ev(role()), ev(chunk('late')), ev(fin()), DONE]));
  const seen = await ask('t21');
  expect(contentOf(seen)).toBe('late');
  expect(seen.text.split('\n').filter((line) => line.startsWith(':')).length).toBeGreaterThan(0);
  expect(callsOf('t21')).toEqual([1, 0]);
});

test('T23: a finish reason without [DONE] is a success; without a finish reason the answer is truncated', async () => {
  script('t23-a', 'a').always(stream([ev(role()), ev(chunk('x')), ev(fin())], { then: 'fin' }));
  const whole = await ask('t23-a');
  expect([contentOf(whole), endsWithDone(whole), errorOf(whole)]).toEqual(['x', true, undefined]);
  script('t23-b', 'a').always(stream([ev(role()), ev(chunk('x')), ev(usageChunk(usageOf(1, 1)))]));
  const cut = await ask('t23-b');
  expect([contentOf(cut), errorOf(cut)?.code, callsOf('t23-b')]).toEqual(['x', 'upstream_stream_interrupted', [1, 0]]);
});

test('K, T78: usage is asked for and recorded though the client did not ask, and is not given to it', async () => {
  const model = memberOf('usage', 'a');
  const seen = await ask(model);
  expect(chunksOf(seen).some(({ usage }) => usage !== undefined)).toBe(false);
  expect(fixture.upstream.model(model).requests[0]?.body).toMatchObject({ stream_options: { include_usage: true } });
  expect((await endedOf(fixture.soai, model)).usage).toMatchObject({ prompt_tokens: 1 });
});

test('K: a member that rejects the field the gateway added is asked once more without it, then always without', async () => {
  const refusal = json({ error: { message: 'Unknown field: stream_options' } }, { status: 400 });
  script('rejects', 'a').answers(refusal, good('one'), good('two'));
  expect([contentOf(await ask('rejects')), contentOf(await ask('rejects'))]).toEqual(['one', 'two']);
  const added = script('rejects', 'a').requests.map(({ body }) => 'stream_options' in (body as object));
  expect(added).toEqual([true, false, false]);
  expect(callsOf('rejects')).toEqual([3, 0]);
});

test('T24: a plain model has nowhere to go: its stream ends with the error event', async () => {
  const model = memberOf('t24', 'a');
  fixture.upstream.model(model).always(stream([ev(role()), ev(chunk('x'))], { then: 'fin' }));
  const seen = await ask(model);
  expect([contentOf(seen), errorOf(seen)?.code, callsOf('t24')]).toEqual(['x', 'upstream_stream_interrupted', [1, 0]]);
});

test('K: a preamble of role-only chunks is not an answer, however many', async () => {
  script('k-hold', 'a').always(stream([...times(10, () => ev(role())), ': comment\n\n'], { then: 'reset' }));
  script('k-hold', 'b').always(good('from b'));
  const seen = await ask('k-hold');
  expect([contentOf(seen), rolesIn(seen), callsOf('k-hold')]).toEqual(['from b', 1, [1, 1]]);
});
