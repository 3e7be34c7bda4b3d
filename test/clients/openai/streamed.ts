/** Streamed chat completions as the SDK reads and assembles them (contract 3, 4; T01, T04, T07, T13, T75, T78, T82). */
import type OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import {
  bytewise,
  chunk,
  completion,
  delta,
  DONE,
  ev,
  fin,
  hold,
  json,
  role,
  stream,
  times,
  usageChunk,
  usageOf,
  withLineEnds,
} from '../../upstream';
import { clientOf, HI, type ClientFixture } from '../fixture';

type Chunk = OpenAI.ChatCompletionChunk;

const of = (...chunks: readonly object[]) => stream([...chunks.map(ev), DONE]);
const choiceChunk = (index: number, fields: object, reason: string | null = null) => ({
  ...delta({}),
  choices: [{ index, delta: fields, finish_reason: reason }],
});

export function streamedChat(fixture: ClientFixture): void {
  const open = (model: string, more: object = {}) =>
    clientOf(fixture).chat.completions.create({ model, messages: HI, stream: true, ...more });
  const helper = (model: string, more: object = {}) =>
    clientOf(fixture).chat.completions.stream({ model, messages: HI, ...more });

  async function chunks(model: string, more: object = {}): Promise<Chunk[]> {
    const all: Chunk[] = [];
    for await (const each of await open(model, more)) all.push(each);
    return all;
  }

  const textOf = (all: readonly Chunk[]): string => all.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

  describe('contract 4: a streamed chat completion', () => {
    test('contract 4: role first, then text, one finish reason last', async () => {
      const all = await chunks(fixture.fresh().name);
      expect(all[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(textOf(all)).toBe('echo: hi');
      const reasons = all.map(({ choices }) => choices[0]?.finish_reason ?? null);
      expect(reasons.filter((reason) => reason !== null)).toEqual(['stop']);
      expect(reasons.at(-1)).toBe('stop');
    });

    test('T82: one id and time in all chunks, and the name that was asked for', async () => {
      const { name } = fixture.fresh();
      const all = await chunks(name);
      expect(new Set(all.map(({ id, created, object, model }) => [id, created, object, model].join())).size).toBe(1);
      expect(all[0]).toMatchObject({ object: 'chat.completion.chunk', model: name });
    });

    test('I: the helper assembles text, message and completion, and tells of each piece', async () => {
      const { name, script } = fixture.fresh();
      script.answers(of(role(), chunk('a'), chunk('b'), chunk('c'), fin()));
      const pieces: [string, string][] = [];
      const runner = helper(name).on('content', (piece, soFar) => pieces.push([piece, soFar]));
      expect(await runner.finalContent()).toBe('abc');
      expect(await runner.finalMessage()).toMatchObject({ role: 'assistant', content: 'abc' });
      expect(await runner.finalChatCompletion()).toMatchObject({ object: 'chat.completion', model: name });
      expect(pieces).toEqual([
        ['a', 'a'],
        ['b', 'ab'],
        ['c', 'abc'],
      ]);
    });

    test('I: several choices are assembled apart', async () => {
      const { name, script } = fixture.fresh();
      script.answers(
        of(
          choiceChunk(0, { role: 'assistant', content: 'a' }),
          choiceChunk(1, { role: 'assistant', content: 'x' }),
          choiceChunk(0, { content: 'b' }),
          choiceChunk(1, { content: 'y' }),
          choiceChunk(1, {}, 'length'),
          choiceChunk(0, {}, 'stop'),
        ),
      );
      const { choices } = await helper(name, { n: 2 }).finalChatCompletion();
      expect(choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
        ['ab', 'stop'],
        ['xy', 'length'],
      ]);
    });

    test('I: interleaved tool calls are assembled apart', async () => {
      const { name, script } = fixture.fresh();
      const part = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
      const first = (id: string, fn: string) => ({ id, type: 'function', function: { name: fn, arguments: '' } });
      script.answers(
        of(
          role(),
          part(0, first('call_a', 'f')),
          part(1, first('call_b', 'g')),
          part(0, { function: { arguments: '{"x":' } }),
          part(1, { function: { arguments: '{}' } }),
          part(0, { function: { arguments: '1}' } }),
          fin('tool_calls'),
        ),
      );
      const tool = (fn: string) => ({ type: 'function' as const, function: { name: fn, parameters: {} } });
      const whole = await helper(name, { tools: [tool('f'), tool('g')] }).finalChatCompletion();
      expect(whole.choices[0]?.message.tool_calls).toMatchObject([
        { id: 'call_a', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'call_b', function: { name: 'g', arguments: '{}' } },
      ]);
    });

    test('T75: continuations of a tool call have no keys that the backend did not send', async () => {
      const { name, script } = fixture.fresh();
      const begin = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } };
      const more = { index: 0, function: { arguments: '{}' } };
      script.answers(of(role(), delta({ tool_calls: [begin] }), delta({ tool_calls: [more] }), fin('tool_calls')));
      const seen = (await chunks(name)).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
      expect(seen).toEqual([begin, more]);
    });

    test('T80: unknown fields of a delta come through', async () => {
      const { name, script } = fixture.fresh();
      script.answers(of(role(), delta({ reasoning_content: 'because', x: [1] }), chunk('a'), fin()));
      const seen = await chunks(name);
      expect(seen.map(({ choices }) => choices[0]?.delta)).toContainEqual({ reasoning_content: 'because', x: [1] });
    });

    test('I: a refusal is assembled', async () => {
      const { name, script } = fixture.fresh();
      script.answers(of(role(), delta({ refusal: 'I ' }), delta({ refusal: 'will not' }), fin()));
      expect(await helper(name).finalMessage()).toMatchObject({ content: null, refusal: 'I will not' });
    });

    test('I: log probabilities are assembled', async () => {
      const { name, script } = fixture.fresh();
      const at = (token: string) => ({
        content: [{ token, logprob: -1, bytes: null, top_logprobs: [] }],
        refusal: null,
      });
      const step = (content: string) => ({
        ...delta({}),
        choices: [{ index: 0, delta: { content }, logprobs: at(content), finish_reason: null }],
      });
      script.answers(of(role(), step('a'), step('b'), fin()));
      const whole = await helper(name, { logprobs: true }).finalChatCompletion();
      expect(whole.choices[0]?.logprobs?.content?.map(({ token }) => token)).toEqual(['a', 'b']);
    });

    test.each(['length', 'content_filter'])('I: finish reason %s ends a stream', async (reason) => {
      const { name, script } = fixture.fresh();
      script.answers(of(role(), chunk('a'), fin(reason)));
      expect((await chunks(name)).at(-1)?.choices[0]?.finish_reason).toBe(reason);
    });

    test('K: a backend that answers whole still gives a stream, tool calls included', async () => {
      const { name, script } = fixture.fresh();
      const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
      const message = { role: 'assistant', content: 'so', tool_calls: [call] };
      script.answers(json({ ...completion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
      const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
      const whole = await helper(name, { tools }).finalChatCompletion();
      expect(whole.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'so' } });
      expect(whole.choices[0]?.message.tool_calls).toMatchObject([call]);
    });

    test('I: twenty streams at once stay apart', async () => {
      const { name } = fixture.fresh();
      const texts = times(20, (at) => `stream ${at}`);
      const seen = await Promise.all(
        texts.map(async (content) => textOf(await chunks(name, { messages: [{ role: 'user', content }] }))),
      );
      expect(seen).toEqual(texts.map((text) => `echo: ${text}`));
    });
  });

  describe('T78: usage in a stream', () => {
    const answer = () => of(role(), chunk('a'), fin(), usageChunk(usageOf(3, 1)));

    test('T78: asked for, it comes once, last, with no choices; elsewhere the key is null', async () => {
      const { name, script } = fixture.fresh();
      script.answers(answer());
      const all = await chunks(name, { stream_options: { include_usage: true } });
      expect(all.at(-1)).toMatchObject({ choices: [], usage: usageOf(3, 1) });
      expect(all.slice(0, -1).map(({ usage }) => usage ?? null)).toEqual(times(all.length - 1, () => null));
      expect(all.slice(0, -1).every(({ choices }) => choices.length === 1)).toBe(true);
    });

    test('T78: not asked for, there is none, though the backend sent it', async () => {
      const { name, script } = fixture.fresh();
      script.answers(answer());
      const all = await chunks(name);
      expect(all.some((each) => 'usage' in each)).toBe(false);
      expect(all.every(({ choices }) => choices.length === 1)).toBe(true);
    });

    test('T78: the helper sums it', async () => {
      const { name, script } = fixture.fresh();
      script.answers(answer());
      const total = await helper(name, { stream_options: { include_usage: true } }).totalUsage();
      expect(total).toMatchObject({ prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 });
    });

    test('contract 4: stream_options without a stream is refused, naming the parameter', async () => {
      const body = { model: fixture.fresh().name, messages: HI, stream_options: { include_usage: true } };
      const call = clientOf(fixture).chat.completions.create(body);
      await expect(call).rejects.toMatchObject({ status: 400, param: 'stream_options' });
    });
  });

  describe('contract 3: the bytes of a stream', () => {
    const raw = (model: string) => open(model).asResponse();

    test('contract 2: its headers', async () => {
      const { headers, body } = await raw(fixture.fresh().name);
      await body?.cancel();
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-cache, no-transform');
      expect(headers.get('x-accel-buffering')).toBe('no');
      expect(headers.get('content-encoding')).toBeNull();
      expect(headers.get('x-request-id')).toMatch(/^req_/);
      expect(headers.get('x-soai-task-id')).toMatch(/.+/);
      expect([...headers.keys()].filter((key) => key.startsWith('x-ratelimit'))).toEqual([]);
    });

    test('contract 3: data lines and blank lines alone, [DONE] last', async () => {
      const text = await (await raw(fixture.fresh().name)).text();
      const events = text.replaceAll(/^:[^\n]*\n/gm, '').split('\n\n');
      expect(events.pop()).toBe('');
      expect(events.every((event) => /^data: [^\n]+$/.test(event))).toBe(true);
      expect(events.filter((event) => event === 'data: [DONE]')).toHaveLength(1);
      expect(events.at(-1)).toBe('data: [DONE]');
    });

    test('T01: characters torn over single bytes arrive whole', async () => {
      const { name, script } = fixture.fresh();
      script.answers(stream([...bytewise(ev(chunk('안녕🦀'))), ev(fin()), DONE]));
      expect(await helper(name).finalContent()).toBe('안녕🦀');
    });

    test.each([
      ['CRLF', '\r\n'],
      ['CR', '\r'],
    ] as const)('T04: %s line ends of a backend do not reach the client', async (_name, lineEnd) => {
      const { name, script } = fixture.fresh();
      script.answers(stream([role(), chunk('a'), chunk('b'), fin()].map((each) => withLineEnds(ev(each), lineEnd))));
      const text = await (await raw(name)).text();
      expect(text).not.toContain('\r');
      expect(text).toContain('"content":"b"');
    });

    test('T07: comments in a silence are not seen by the SDK', async () => {
      const { name, script } = fixture.fresh();
      const gate = hold();
      script.answers(stream([ev(role()), ev(chunk('a')), gate, ev(chunk('b')), ev(fin()), DONE]));
      let comments = 0;
      // The SDK reads one branch, the other is watched for comments.
      const watching: typeof fetch = async (url, init) => {
        const answer = await fetch(url, init);
        const [watched, read] = (answer.body as ReadableStream<Uint8Array>).tee();
        void (async () => {
          const decoder = new TextDecoder();
          for await (const bytes of watched) {
            comments += decoder.decode(bytes, { stream: true }).match(/^:/gm)?.length ?? 0;
            if (comments >= 2) gate.open();
          }
        })().catch(() => undefined);
        return new Response(read, answer);
      };
      const client = clientOf(fixture, { fetch: watching });
      const whole = client.chat.completions.stream({ model: name, messages: HI });
      expect(await whole.finalContent()).toBe('ab');
      expect(comments).toBeGreaterThanOrEqual(2);
    });

    test('I: both branches of tee() see all of it', async () => {
      const [left, right] = (await open(fixture.fresh().name)).tee();
      const read = async (branch: AsyncIterable<Chunk>) => {
        const all: Chunk[] = [];
        for await (const each of branch) all.push(each);
        return textOf(all);
      };
      expect(await Promise.all([read(left), read(right)])).toEqual(['echo: hi', 'echo: hi']);
    });

    test('I: toReadableStream is read again by the SDK', async () => {
      const runner = helper(fixture.fresh().name);
      const again = ChatCompletionStream.fromReadableStream(runner.toReadableStream());
      expect(await again.finalContent()).toBe('echo: hi');
    });
  });
}
