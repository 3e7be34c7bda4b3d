/** The Anthropic SDK against the real product: Messages over backends that speak chat completions. */
import Anthropic from '@anthropic-ai/sdk';
import { backends, endedOf, get, post, withSoai } from '../harness';
import { settings } from '../end-to-end/settings';
import { chunk, delta, DONE, ev, fin, json, rateLimited, role, status, stream, usageChunk, usageOf } from '../upstream';

const MODELS = [
  'plain',
  'streamed',
  'tools',
  'tools-stream',
  'thinks',
  'long',
  'image',
  'e400',
  'e401',
  'e429',
  'e500',
  'cut',
  'cut-early',
  'idem',
  'gone',
  'paged',
  'stop',
];
const fixture = withSoai((upstream) => settings(backends({ id: 'up', url: upstream.url, models: MODELS })));

const anthropic = (options: { maxRetries?: number; apiKey?: string } = {}): Anthropic =>
  new Anthropic({
    apiKey: options.apiKey ?? fixture.soai.key,
    baseURL: fixture.soai.url,
    maxRetries: options.maxRetries ?? 0,
  });
const ask = (model: string) => ({ model, max_tokens: 50, messages: [{ role: 'user' as const, content: 'say it' }] });
const failure = async (work: PromiseLike<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
};
const seen = (model: string): Record<string, unknown> =>
  fixture.upstream.model(model).requests.at(-1)!.body as Record<string, unknown>;

const TOOL = {
  name: 'weather',
  description: 'The weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};
const call = (index: number, fields: Record<string, unknown>): string =>
  ev(delta({ tool_calls: [{ index, ...fields }] }));

describe('I: plain messages', () => {
  test('a text, its end and its usage, under the name asked for (D5)', async () => {
    const { data, response, request_id } = await anthropic().messages.create(ask('plain')).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'plain',
      content: [{ type: 'text', text: 'echo: say it' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 2, output_tokens: 3 },
    });
    expect(data.id).toMatch(/^msg_/);
    expect(request_id).toMatch(/^req_/);
    expect(response.headers.get('x-soai-served-by')).toBe('plain');
    const task = await endedOf(fixture.soai, 'plain');
    expect(task).toMatchObject({ operation: 'messages', state: 'completed', usage: { completion_tokens: 3 } });
    const stored = await get<{ id: string }>(fixture.soai, `/api/v1/tasks/${task.id}/response`);
    expect(stored).toMatchObject({ id: data.id, content: data.content });
  });

  test('T81: system, limits, stops and unknown fields reach the backend in chat words', async () => {
    await anthropic().messages.create({
      ...ask('plain'),
      max_tokens: 7,
      system: 'Be brief.',
      stop_sequences: ['END'],
      temperature: 0.5,
      x_vendor: { a: [1] },
    } as Anthropic.MessageCreateParamsNonStreaming);
    expect(seen('plain')).toMatchObject({
      max_tokens: 7,
      stop: ['END'],
      temperature: 0.5,
      x_vendor: { a: [1] },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'say it' },
      ],
    });
    expect(seen('plain')).not.toHaveProperty('system');
  });

  test('a length limit is max_tokens, a named stop string is a stop sequence', async () => {
    const answer = (finish: object) =>
      json({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: 'cut' }, ...finish }],
      });
    fixture.upstream.model('long').answers(answer({ finish_reason: 'length' }));
    fixture.upstream.model('stop').answers(answer({ finish_reason: 'stop', stop_reason: 'END' }));
    expect((await anthropic().messages.create(ask('long'))).stop_reason).toBe('max_tokens');
    const stopped = await anthropic().messages.create({ ...ask('stop'), stop_sequences: ['END'] });
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
  });

  test('a tool is called and its result understood', async () => {
    fixture.upstream.model('tools').answers(
      json({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'x',
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
              ],
            },
          },
        ],
      }),
    );
    const first = await anthropic().messages.create({ ...ask('tools'), tools: [TOOL], tool_choice: { type: 'any' } });
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content).toEqual([{ type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } }]);
    expect(seen('tools')).toMatchObject({
      tool_choice: 'required',
      tools: [{ type: 'function', function: { name: 'weather' } }],
    });
    const second = await anthropic().messages.create({
      ...ask('tools'),
      messages: [
        { role: 'user', content: 'say it' },
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '4 degrees' }] },
      ],
    });
    expect(second.content).toEqual([{ type: 'text', text: 'echo: 4 degrees' }]);
  });

  test('images go along', async () => {
    await anthropic().messages.create({
      ...ask('image'),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'text', text: 'what is it?' },
          ],
        },
      ],
    });
    expect(seen('image')).toMatchObject({
      messages: [
        {
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }, { type: 'text' }],
        },
      ],
    });
  });

  test('reasoning is a thinking block', async () => {
    fixture.upstream.model('thinks').answers(
      json({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'x',
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', reasoning_content: 'Hm.', content: 'Four.' },
          },
        ],
      }),
    );
    const answer = await anthropic().messages.create({
      ...ask('thinks'),
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      max_tokens: 2_000,
    });
    expect(answer.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Four.' },
    ]);
  });

  test('A9: the same Idempotency-Key gives the same message and one call', async () => {
    const send = () => post(fixture.soai, '/v1/messages', ask('idem'), { headers: { 'idempotency-key': 'm-1' } });
    const [one, two] = await Promise.all([send(), send()]);
    expect(await one.json()).toEqual(await two.json());
    expect(fixture.upstream.model('idem').requests).toHaveLength(1);
  });
});

describe('I: streamed messages', () => {
  test('the SDK assembles what was said, with usage', async () => {
    const texts: string[] = [];
    const runner = anthropic()
      .messages.stream(ask('streamed'))
      .on('text', (text) => texts.push(text));
    const whole = await runner.finalMessage();
    expect(whole).toMatchObject({
      model: 'streamed',
      content: [{ type: 'text', text: 'echo: say it' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 2, output_tokens: 3 },
    });
    expect(texts.length).toBeGreaterThan(1);
    expect((await endedOf(fixture.soai, 'streamed')).usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
  });

  test('T90: events of this protocol only, in its order, each named by its type', async () => {
    const answer = await post(fixture.soai, '/v1/messages', { ...ask('streamed'), stream: true });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await answer.text();
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    const types = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (JSON.parse(data!) as { type: string }).type);
    expect(types).toEqual(names);
    expect(names[0]).toBe('message_start');
    expect(names.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(text).not.toContain('[DONE]');
  });

  test('T76: tool calls in pieces, later ones without ids', async () => {
    fixture.upstream
      .model('tools-stream')
      .answers(
        stream([
          ev(role()),
          ev(chunk('Looking.')),
          call(0, { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
          ...['{"ci', 'ty":', '"Oslo"}'].map((args) => call(0, { function: { arguments: args } })),
          call(1, { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }),
          ev(fin('tool_calls')),
          ev(usageChunk(usageOf(5, 6))),
          DONE,
        ]),
      );
    const whole = await anthropic()
      .messages.stream({ ...ask('tools-stream'), tools: [TOOL] })
      .finalMessage();
    expect(whole.stop_reason).toBe('tool_use');
    expect(whole.content).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
      { type: 'tool_use', id: 'call_2', name: 'weather', input: { city: 'Rome' } },
    ]);
    expect(whole.usage).toMatchObject({ input_tokens: 5, output_tokens: 6 });
  });

  test('T13: an answer cut in the middle raises, and is no success', async () => {
    fixture.upstream.model('cut').answers(stream([ev(role()), ev(chunk('one')), ev(chunk(' two'))], { then: 'fin' }));
    const runner = anthropic().messages.stream(ask('cut'));
    const error = await failure(runner.finalMessage());
    expect(error).toBeInstanceOf(Anthropic.AnthropicError);
    expect(error.message).toMatch(/api_error|upstream/);
    expect((await endedOf(fixture.soai, 'cut')).state).toBe('failed');
  });

  test('T14: an answer that breaks before any content keeps its status', async () => {
    fixture.upstream.model('cut-early').always(stream([ev(role())], { then: 'fin' }));
    const error = await failure(anthropic().messages.stream(ask('cut-early')).finalMessage());
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect((error as InstanceType<typeof Anthropic.APIError>).status).toBe(503);
  });

  test('A10: leaving ends the task and the call', async () => {
    fixture.upstream.model('gone').answers(stream([ev(role()), ev(chunk('one'))], { then: 'stall' }));
    const runner = anthropic().messages.stream(ask('gone'));
    await new Promise<void>((resolve) => runner.once('text', () => resolve()));
    runner.abort();
    await failure(runner.done());
    expect(await endedOf(fixture.soai, 'gone')).toMatchObject({ state: 'cancelled', reason: 'client_disconnected' });
  });
});

describe('I: errors in this API’s words', () => {
  test.each([
    ['e400', status(400, {}, 'too long'), Anthropic.BadRequestError, 400, 'invalid_request_error'],
    ['e401', status(401), Anthropic.InternalServerError, 502, 'api_error'],
    ['e429', rateLimited({ 'retry-after': '0' }), Anthropic.RateLimitError, 429, 'rate_limit_error'],
    ['e500', status(500), Anthropic.InternalServerError, 500, 'api_error'],
  ] as const)('T84: %s', async (model, answer, kind, code, type) => {
    fixture.upstream.model(model).always(answer);
    const error = (await failure(anthropic().messages.create(ask(model)))) as InstanceType<typeof Anthropic.APIError>;
    expect(error).toBeInstanceOf(kind);
    expect([Number(error.status) >= 500 ? 5 : error.status, error.requestID]).toEqual([
      code >= 500 ? 5 : code,
      expect.stringMatching(/^req_/),
    ]);
    expect(error.error).toMatchObject({ type: 'error', error: { type, message: expect.any(String) } });
  });

  test('a wrong key, an unknown model, a missing limit', async () => {
    const kinds = [
      await failure(anthropic({ apiKey: 'sk-soai-wrong' }).messages.create(ask('plain'))),
      await failure(anthropic().messages.create(ask('nowhere'))),
      await failure(anthropic().messages.create({ ...ask('plain'), max_tokens: undefined as unknown as number })),
    ];
    expect(kinds[0]).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(kinds[1]).toBeInstanceOf(Anthropic.NotFoundError);
    expect(kinds[2]).toBeInstanceOf(Anthropic.BadRequestError);
    expect(kinds[2]!.message).toContain('max_tokens');
  });

  test.each([
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages[0].role'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ temperature: 2 }, 'temperature'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ stop_sequences: Array.from({ length: 65 }, () => 'x') }, 'stop_sequences'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
  ])('S52: %j is refused by name', async (fields, param) => {
    const answer = await post(fixture.soai, '/v1/messages', { ...ask('plain'), ...fields });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', param } });
  });
});
