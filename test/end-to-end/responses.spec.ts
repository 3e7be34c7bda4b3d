/** POST /v1/responses over backends that speak chat, and over those that speak the protocol themselves. */
import { backends, chat, openai, post, readStream, taskDetail, withSoai } from '../harness';
import { chunk, delta, DONE, errorEvent, ev, fin, json, role, status, stream, usageChunk, usageOf } from '../upstream';
import { settings } from './settings';

const TEAM = ['down-chat', 'native'];
const CHAT = 'picky plain streamed tools tools-plain reasoned cut error-event e400 length refused'.split(' ');
const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'up', url: upstream.url, models: CHAT },
      { id: 'native', url: upstream.url, models: ['native', 'native-chat'], capabilities: ['responses'] },
      { id: 'down', url: upstream.url, models: ['down-chat'] },
    ),
    { MODELS: { ROUTING: { VIRTUAL_MODELS: [{ NAME: 'team', STRATEGY: 'failover', MEMBERS: TEAM }] } } },
  ),
);

const KEYS =
  'id object created_at error incomplete_details instructions metadata model output parallel_tool_calls temperature ' +
  'tool_choice tools top_p completed_at status previous_response_id truncation text presence_penalty ' +
  'frequency_penalty top_logprobs reasoning usage max_output_tokens max_tool_calls store background service_tier ' +
  'safety_identifier prompt_cache_key';

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
}

/** The events of a streamed answer, checked for what every stream keeps to. */
async function streamed(answer: Response): Promise<Event[]> {
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const { events } = await readStream(answer);
  expect(events.at(-1)?.data).toBe('[DONE]');
  const told = events.slice(0, -1).map(({ event, data }) => ({ event, ...(JSON.parse(data) as Event) }));
  expect(told.map(({ event }) => event)).toEqual(told.map(({ type }) => type));
  expect(told.map(({ sequence_number }) => sequence_number)).toEqual(told.map((_, at) => at));
  return told;
}

const ask = (model: string, more: Record<string, unknown> = {}) =>
  post(fixture.soai, '/v1/responses', { model, input: 'say it', ...more });

test('I: a plain response over a chat backend, every required key there', async () => {
  const { data, response } = await openai(fixture.soai)
    .responses.create({ model: 'plain', input: 'say it', instructions: 'briefly', max_output_tokens: 7 })
    .withResponse();
  expect(data).toMatchObject({
    object: 'response',
    status: 'completed',
    model: 'plain',
    output_text: 'echo: say it',
    instructions: 'briefly',
    usage: {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 6,
    },
  });
  expect(Object.keys(data)).toEqual(expect.arrayContaining(KEYS.split(' ')));
  expect(data.id).toMatch(/^resp_[0-9a-f]{32}$/);
  expect(data.output[0]).toMatchObject({ id: expect.stringMatching(/^msg_/), role: 'assistant', status: 'completed' });
  expect(fixture.upstream.model('plain').requests[0]?.body).toEqual({
    model: 'plain',
    messages: [
      { role: 'system', content: 'briefly' },
      { role: 'user', content: 'say it' },
    ],
    max_tokens: 7,
  });
  const id = response.headers.get('x-soai-task-id') ?? '';
  expect(await taskDetail(fixture.soai, id)).toMatchObject({ operation: 'responses', state: 'completed' });
});

test("T90: a streamed one is response events in order, and the SDK's accumulator takes them", async () => {
  const told = await streamed(await ask('streamed', { stream: true }));
  expect(told.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  const whole = await openai(fixture.soai).responses.stream({ model: 'streamed', input: 'say it' }).finalResponse();
  expect(whole).toMatchObject({ status: 'completed', output_text: 'echo: say it', usage: { total_tokens: 5 } });
});

test('K: a backend that rejects a field which the gateway added is asked once more without it', async () => {
  const model = fixture.upstream.model('picky');
  model.answers(status(400, {}, 'Unrecognized request argument supplied: stream_options'));
  const told = await streamed(await ask('picky', { stream: true }));
  expect(told.at(-1)?.type).toBe('response.completed');
  expect(model.requests.map(({ body }) => 'stream_options' in (body as object))).toEqual([true, false]);
});

test('T76: argument deltas without an id are all passed on', async () => {
  const part = (fields: object) => ev(delta({ tool_calls: [{ index: 0, ...fields }] }));
  const pieces = ['{"ci', 'ty', '":', '"', 'O', 's', 'lo', '"', '', '}'];
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: pieces[0] } };
  fixture.upstream
    .model('tools')
    .answers(
      stream([
        ev(role()),
        part(call),
        ...pieces.slice(1).map((args) => part({ function: { arguments: args } })),
        ev(fin('tool_calls')),
        DONE,
      ]),
    );
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: true }];
  const told = await streamed(await ask('tools', { stream: true, tools, tool_choice: 'required' }));
  const deltas = told.filter(({ type }) => type === 'response.function_call_arguments.delta');
  expect(deltas.map(({ delta: piece }) => piece)).toEqual(pieces);
  expect(told.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
    name: 'weather',
    arguments: '{"city":"Oslo"}',
  });
  expect(new Set(told.flatMap(({ item_id }) => (item_id === undefined ? [] : [item_id]))).size).toBe(1);
  expect(fixture.upstream.model('tools').requests[0]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' }, strict: true } }],
    tool_choice: 'required',
    stream_options: { include_usage: true },
  });
});

test('K: reasoning and text become items of their own, and the length limit makes it incomplete', async () => {
  fixture.upstream
    .model('length')
    .answers(
      stream([
        ev(delta({ role: 'assistant', reasoning_content: 'hm' })),
        ev(chunk('half')),
        ev(fin('length')),
        ev(usageChunk(usageOf(1, 2))),
        DONE,
      ]),
    );
  const whole = await openai(fixture.soai).responses.stream({ model: 'length', input: 'say it' }).finalResponse();
  expect(whole).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] }, { status: 'incomplete' }],
  });
});

describe('contract 5: failure', () => {
  test('K: before any content it keeps its status; the envelope is OpenAI’s', async () => {
    fixture.upstream.model('e400').always(status(400, {}, 'no such thing'));
    for (const streaming of [false, true]) {
      const answer = await ask('e400', { stream: streaming });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { message: 'no such thing', param: null } });
    }
  });

  test('D6: in mid-stream there is an error event, flat and nested, then response.failed', async () => {
    fixture.upstream
      .model('error-event')
      .always(errorEvent([ev(role()), ev(chunk('par')), ev(chunk('tial'))], { message: 'boom', type: 'server_error' }));
    const told = await streamed(await ask('error-event', { stream: true }));
    const [error, failed] = told.slice(-2);
    expect(error).toMatchObject({
      type: 'error',
      code: 'server_error',
      param: null,
      error: { code: 'server_error', param: null },
    });
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        model: 'error-event',
        error: { code: 'server_error', message: error?.['message'] },
        output: [{ content: [{ text: 'partial' }] }],
      },
    });
    const reading = openai(fixture.soai).responses.stream({ model: 'error-event', input: 'x' }).finalResponse();
    await expect(reading).rejects.toThrow();
  });

  test('T13: a stream that ends without a finish reason fails', async () => {
    fixture.upstream.model('cut').always(stream([ev(role()), ev(chunk('half'))]));
    const told = await streamed(await ask('cut', { stream: true }));
    expect(told.at(-1)?.type).toBe('response.failed');
  });
});

describe('D5: a backend that speaks the protocol itself', () => {
  test('T82: the model is the client’s in every event, and ids are ours', async () => {
    const told = await streamed(await ask('native', { stream: true, include: ['x'], x_vendor: 1 }));
    for (const { response } of told) if (response) expect(response).toMatchObject({ model: 'native' });
    expect(JSON.stringify(told)).not.toMatch(/_fake/);
    expect(fixture.upstream.model('native').requests[0]).toMatchObject({
      path: '/v1/responses',
      body: { input: 'say it', include: ['x'], x_vendor: 1, store: false },
    });
    const whole = await openai(fixture.soai).responses.create({ model: 'native', input: 'say it' });
    expect(whole).toMatchObject({ model: 'native', output_text: 'echo: say it', store: true });
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(KEYS.split(' ')));
  });

  test('I: it serves chat too, plain and streamed', async () => {
    const plain = await chat(fixture.soai, 'native-chat');
    expect(await plain.json()).toMatchObject({
      object: 'chat.completion',
      model: 'native-chat',
      choices: [{ message: { role: 'assistant', content: 'echo: hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const whole = await openai(fixture.soai)
      .chat.completions.stream({ model: 'native-chat', messages, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(whole).toMatchObject({ choices: [{ message: { content: 'echo: hi' } }], usage: { total_tokens: 3 } });
  });
});

test('T82, D6: a virtual model fails over between the two protocols before anything is given, and keeps its name', async () => {
  // A preamble and then a failure: nothing of it may reach the client.
  fixture.upstream.model('down-chat').always(errorEvent([ev(role())], { message: 'boom', type: 'server_error' }));
  const told = await streamed(await ask('team', { stream: true }));
  expect(told.filter(({ type }) => type === 'response.created')).toHaveLength(1);
  for (const { response } of told) if (response) expect(response).toMatchObject({ model: 'team' });
  const { id } = told.at(-1)?.['response'] as { id: string };
  const stored = await openai(fixture.soai).responses.retrieve(id);
  expect(stored).toMatchObject({ model: 'team', status: 'completed', output_text: 'echo: say it' });
  const next = await openai(fixture.soai).responses.create({ model: 'plain', input: 'on', previous_response_id: id });
  expect(next).toMatchObject({ model: 'plain', output_text: 'echo: on' });
  expect(fixture.upstream.model('down-chat').requests.length).toBeGreaterThan(0);
});

test('I: what chat can’t express is refused by its name', async () => {
  const answer = await ask('plain', { tools: [{ type: 'web_search' }] });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: 'tools[0].type' } });
});

test('I: a backend that answers a stream request whole still makes a stream', async () => {
  const body = { role: 'assistant', content: 'whole', refusal: null };
  const choices = [{ index: 0, message: body, finish_reason: 'stop' }];
  fixture.upstream
    .model('refused')
    .answers(json({ id: 'x', object: 'chat.completion', created: 1, model: 'x', choices }));
  const told = await streamed(await ask('refused', { stream: true }));
  expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['response.created', 'response.completed']));
});

test.each([
  ['input', { input: undefined }],
  ['input[0].role', { input: [{ role: 5 }] }],
  ['input[0].content[0].type', { input: [{ role: 'user', content: [{}] }] }],
  ['metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) }],
  ['max_output_tokens', { max_output_tokens: 1e9 }],
  ['tools', { tools: Array.from({ length: 2_000 }, () => ({ type: 'function', name: 'f' })) }],
  ['store', { background: true, store: false }],
])('S52: a bad %s is refused by its name', async (param, more) => {
  const answer = await ask('plain', more);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param } });
});
