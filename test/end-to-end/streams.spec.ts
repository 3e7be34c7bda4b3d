/** SSE in and out, and what happens when it breaks. */
import { backends, chat, chunksOf, contentOf, endedOf, endsWithDone, errorOf, readStream, withSoai } from '../harness';
import {
  type Answer,
  bytewise,
  chunk,
  delta,
  DONE,
  ev,
  fin,
  hangUp,
  hold,
  role,
  splitAt,
  stream,
  times,
  usageChunk,
  usageOf,
  withLineEnds,
} from '../upstream';
import { settings } from './settings';

const MODELS = 't01 t02 t04-crlf t04-cr t05 t07 t08 t10 t11 t13 t14-mid t14 t14-head t16 t75 t78 t78-off'.split(' ');
const fixture = withSoai((upstream) =>
  settings(backends({ id: 'up', url: upstream.url, models: MODELS }), { SERVER: { KEEP_ALIVE_COMMENT_SEC: 0.3 } }),
);

const end = [ev(fin()), DONE];
const scripted = (model: string, ...answers: readonly Answer[]) => fixture.upstream.model(model).answers(...answers);
const ask = async (model: string, more: Record<string, unknown> = {}) =>
  readStream(await chat(fixture.soai, model, { stream: true, ...more }));

test('T01: multibyte characters sent byte by byte arrive whole', async () => {
  scripted('t01', stream([...bytewise(ev(chunk('안녕하세요🦀'))), ...end]));
  const seen = await ask('t01');
  expect(contentOf(seen)).toBe('안녕하세요🦀');
  expect(seen.text).not.toContain('\ufffd');
});

test('T02: an event cut at any offset is one event', async () => {
  const event = ev(chunk('ab'));
  const offsets = times(Buffer.byteLength(event) - 1, (i) => i + 1);
  fixture.upstream
    .model('t02')
    .answers(...offsets.map((at) => stream([...splitAt(event, at), ...end], { between: 2 })));
  for (let next = 0; next < offsets.length; next += 10) {
    const batch = await Promise.all(offsets.slice(next, next + 10).map(() => ask('t02')));
    for (const seen of batch) {
      expect(chunksOf(seen).flatMap(({ choices }) => choices?.[0]?.delta.content ?? [])).toEqual(['ab']);
      expect(endsWithDone(seen)).toBe(true);
    }
  }
  expect(fixture.upstream.model('t02').requests).toHaveLength(offsets.length);
});

test.each([
  ['t04-crlf', '\r\n'],
  ['t04-cr', '\r'],
] as const)('T04: %s line ends are read, usage included', async (model, lineEnd) => {
  const events = [role(), chunk('a'), chunk('b'), fin(), usageChunk(usageOf(3, 2))].map(ev);
  scripted(model, stream([...events, DONE].map((event) => withLineEnds(event, lineEnd))));
  const seen = await ask(model);
  expect(contentOf(seen)).toBe('ab');
  expect(endsWithDone(seen)).toBe(true);
  expect((await endedOf(fixture.soai, model)).usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
});

test('T05: data: without the blank is read', async () => {
  scripted('t05', stream([ev(chunk('abc')), ...end].map((event) => event.replace('data: ', 'data:'))));
  const seen = await ask('t05');
  expect(contentOf(seen)).toBe('abc');
  expect(endsWithDone(seen)).toBe(true);
  expect((await endedOf(fixture.soai, 't05')).state).toBe('completed');
});

test('T07: keep-alive is a comment line without a blank line after it', async () => {
  const gate = hold();
  scripted('t07', stream([ev(role()), ev(chunk('a')), gate, ev(chunk('b')), ...end]));
  const comments = (text: string) => text.match(/^:[^\n]*\n/gm)?.length ?? 0;
  const seen = await readStream(await chat(fixture.soai, 't07', { stream: true }), (text) => {
    if (comments(text) >= 2) gate.open();
  });
  expect(comments(seen.text)).toBeGreaterThanOrEqual(2);
  expect(seen.text).not.toMatch(/^:[^\n]*\n\n/m);
  expect(endsWithDone(seen)).toBe(true);
  expect(seen.events.filter(({ data }) => /"content":"[ab]"/.test(data))).toHaveLength(2);
});

test('T08: comments of a backend are not an answer: bytes flow to the client, and a retry is still possible', async () => {
  // Headers are held for 10 s, so silence can only be seen after that.
  const comments = times(110, () => [': working\n\n', 100] as const).flat();
  scripted('t08', stream(comments, { then: 'reset' }), stream([ev(role()), ev(chunk('from the second try')), ...end]));
  const start = performance.now();
  const answer = await chat(fixture.soai, 't08', { stream: true });
  const headAfter = performance.now() - start;
  const seen = await readStream(answer);
  expect(headAfter).toBeGreaterThan(9_500);
  expect(headAfter).toBeLessThan(12_000);
  expect(seen.text).toMatch(/^:[^\n]*\n/m);
  expect(seen.text).not.toContain('working');
  expect(contentOf(seen)).toBe('from the second try');
  expect(fixture.upstream.model('t08').requests).toHaveLength(2);
});

test('T10: events are handed on as they come, each in a read of its own', async () => {
  scripted('t10', stream([...times(20, (i) => ev(chunk(`${i} `))), ...end], { between: 100 }));
  const { events } = await ask('t10');
  const content = events.filter(({ data }) => data.includes('"content":"'));
  expect(content).toHaveLength(20);
  const gaps = content.slice(1).map((event, i) => event.at - (content[i]?.at ?? 0));
  const median = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  expect(median).toBeGreaterThan(80);
  expect(median).toBeLessThan(120);
  const sharing = content.filter((event, i) => i > 0 && event.read === content[i - 1]?.read);
  expect(sharing.length).toBeLessThanOrEqual(1);
});

test('T11: a connection left in mid-stream is not used again', async () => {
  const model = fixture.upstream.model('t11');
  model.answers(stream([ev(role()), ev(chunk('a'))], { then: 'stall' }));
  const leave = new AbortController();
  const answer = await chat(fixture.soai, 't11', { stream: true }, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  const aborted = await model.closed(1);
  const after = await Promise.all(times(50, () => ask('t11')));
  expect(after.map(contentOf)).toEqual(times(50, () => 'echo: hi'));
  expect(model.requests.slice(1).map((request) => request.socketId)).not.toContain(aborted.socketId);
});

test('T13: a stream cut in its midst ends with one error event and without [DONE]', async () => {
  const words = times(40, (i) => `t${i} `);
  scripted('t13', stream([ev(role()), ...words.map((word) => ev(chunk(word)))], { then: 'fin' }));
  const seen = await ask('t13');
  expect(contentOf(seen)).toBe(words.join(''));
  expect(chunksOf(seen).filter(({ error }) => error)).toHaveLength(1);
  expect(errorOf(seen)).toMatchObject({ type: 'upstream_error', code: 'upstream_stream_interrupted', param: null });
  expect(seen.events.at(-1)?.data).toContain('"error"');
  expect(seen.text).not.toContain('[DONE]');
  expect(await endedOf(fixture.soai, 't13')).toMatchObject({ state: 'failed', reason: 'upstream_stream_interrupted' });
  expect(fixture.upstream.model('t13').requests).toHaveLength(1);
});

test('T14: a dead stream is not turned into an empty one: after content it is an error', async () => {
  scripted('t14-mid', stream([ev(role()), ev(chunk('a'))], { then: 'reset' }));
  const seen = await ask('t14-mid');
  expect(contentOf(seen)).toBe('a');
  expect(errorOf(seen)?.code).toBe('upstream_stream_interrupted');
  expect(seen.text).not.toContain('[DONE]');
});

test.each([
  ['t14', 'after the headers', stream([], { then: 'fin' })],
  ['t14-head', 'before the headers', hangUp],
] as const)('T14: %s, closed %s: asked again, the client sees the second stream only', async (model, _when, broken) => {
  scripted(model, broken, stream([ev(role()), ev(chunk('second')), ...end]));
  const answer = await chat(fixture.soai, model, { stream: true });
  expect(answer.status).toBe(200);
  const seen = await readStream(answer);
  expect(contentOf(seen)).toBe('second');
  expect(chunksOf(seen).filter(({ choices }) => choices?.[0]?.delta.role)).toHaveLength(1);
  expect(endsWithDone(seen)).toBe(true);
  expect(fixture.upstream.model(model).requests).toHaveLength(2);
});

test('T16: one broken line in a good stream is dropped and counted', async () => {
  const words = (count: number) => times(count, () => ev(chunk('w')));
  scripted('t16', stream([...words(9), 'data: {"choices":[{"del\n\n', ...words(51), ...end]));
  const seen = await ask('t16');
  expect(contentOf(seen)).toBe('w'.repeat(60));
  expect(chunksOf(seen).at(-1)?.choices?.[0]?.finish_reason).toBe('stop');
  expect(endsWithDone(seen)).toBe(true);
  expect(await endedOf(fixture.soai, 't16')).toMatchObject({ state: 'completed', bad_lines: 1 });
});

test('T75: what a delta leaves out stays out', async () => {
  const first = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } };
  const more = { index: 0, function: { arguments: '{}' } };
  scripted(
    't75',
    stream(
      [role(), delta({ tool_calls: [first] }), delta({ tool_calls: [more] }), fin('tool_calls')].map(ev).concat(DONE),
    ),
  );
  const calls = chunksOf(await ask('t75')).flatMap(({ choices }) => choices?.[0]?.delta.tool_calls ?? []);
  expect(calls).toEqual([first, more]);
});

test('T78: one usage chunk right before [DONE] when asked for, and the key everywhere else null', async () => {
  scripted(
    't78',
    stream(
      [role(), chunk('a'), fin(), { ...usageChunk(usageOf(3, 1)), choices: [{ index: 0, delta: {} }] }]
        .map(ev)
        .concat(DONE),
    ),
  );
  const seen = await ask('t78', { stream_options: { include_usage: true } });
  const chunks = chunksOf(seen);
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  });
  expect(chunks.slice(0, -1).map(({ usage }) => usage ?? null)).toEqual(chunks.slice(0, -1).map(() => null));
  expect(endsWithDone(seen)).toBe(true);
});

test('T78: without the option no usage reaches the client, though the task has it', async () => {
  scripted('t78-off', stream([role(), chunk('a'), fin(), usageChunk(usageOf(3, 1))].map(ev).concat(DONE)));
  const seen = await ask('t78-off');
  expect(seen.text).not.toContain('usage');
  expect(chunksOf(seen).every(({ choices }) => choices?.length === 1)).toBe(true);
  expect((await endedOf(fixture.soai, 't78-off')).usage).toMatchObject({ total_tokens: 4 });
});
