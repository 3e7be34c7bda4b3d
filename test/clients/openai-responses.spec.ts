/** The Responses API as the official client for Node.js uses it, over backends of both kinds (contract 5; T76, T82, T90, T92). */
import OpenAI from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { untilTask } from '../harness';
import {
  chunk,
  completion,
  delta,
  DONE,
  ev,
  fin,
  halfOpen,
  json,
  role,
  status,
  stream,
  type Answer,
} from '../upstream';
import { clientOf, thrownBy, withClients } from './fixture';

const fixture = withClients();
const responses = () => clientOf(fixture).responses;
const whole = completion('');
const answers = (message: object, reason = 'stop'): Answer =>
  json({
    ...whole,
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: reason }],
  });
const CALL = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '{"n":21}' } };
const events = (...chunks: readonly object[]) => stream([...chunks.map(ev), DONE]);
const place = z.object({ city: z.string(), celsius: z.number() });

/** Always there, in every object (contract 5). */
const KEYS =
  'id object created_at status error incomplete_details instructions metadata model output parallel_tool_calls temperature tool_choice tools top_p completed_at previous_response_id truncation text presence_penalty frequency_penalty top_logprobs reasoning usage max_output_tokens max_tool_calls store background service_tier safety_identifier prompt_cache_key'.split(
    ' ',
  );

describe.each([
  ['a chat backend', () => fixture.fresh()],
  ['a backend that speaks it', () => fixture.freshNative()],
] as const)('contract 5: over %s', (_what, fresh) => {
  test("contract 5: a plain response: text, usage, every required key, the client's model", async () => {
    const { name } = fresh();
    const response = await responses().create({ model: name, input: 'say it' });
    expect(response).toMatchObject({ object: 'response', status: 'completed', error: null, model: name });
    expect(response.id).toMatch(/^resp_/);
    expect(response.output_text).toBe('echo: say it');
    expect(response.usage).toMatchObject({
      input_tokens: 2,
      output_tokens: 3,
      total_tokens: 5,
      input_tokens_details: { cached_tokens: expect.any(Number) },
      output_tokens_details: { reasoning_tokens: expect.any(Number) },
    });
    expect(KEYS.filter((key) => !(key in response))).toEqual([]);
  });

  test('T90: a streamed one: events in order, numbered from 0, one model', async () => {
    const { name } = fresh();
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await responses().create({ model: name, input: 'say it', stream: true }))
      seen.push(event);
    const types = seen.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, at) => at));
    const models = seen.flatMap((event) => ('response' in event ? [event.response.model] : []));
    expect(new Set(models)).toEqual(new Set([name]));
  });

  test('contract 5: the helper assembles it', async () => {
    const runner = responses().stream({ model: fresh().name, input: 'say it' });
    let text = '';
    runner.on('response.output_text.delta', ({ delta: piece }) => (text += piece));
    const response = await runner.finalResponse();
    expect([response.status, response.output_text, text]).toEqual(['completed', 'echo: say it', 'echo: say it']);
  });

  test('T82: the stored one is the one that was given; deleted, it is gone', async () => {
    const created = await responses().create({ model: fresh().name, input: 'keep me' });
    expect(await responses().retrieve(created.id)).toEqual(created);
    await responses().delete(created.id);
    expect(await thrownBy(responses().retrieve(created.id))).toBeInstanceOf(OpenAI.NotFoundError);
  });

  test('T92: previous_response_id goes on from our own store', async () => {
    const { name, script } = fresh();
    const first = await responses().create({ model: name, input: 'one', instructions: 'be brief' });
    const second = await responses().create({ model: name, input: 'two', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    const sent = JSON.stringify(script.requests[1]?.body);
    expect(sent).toContain('echo: one');
    expect(sent).not.toContain('be brief');
  });

  test("contract 5: an answer that was not to be stored can't be fetched", async () => {
    const { id } = await responses().create({ model: fresh().name, input: 'x', store: false });
    expect(await thrownBy(responses().retrieve(id))).toMatchObject({ status: 404, code: 'response_not_found' });
  });

  test("K: a backend's 500 is a 502 that is not to be repeated", async () => {
    const { name, script } = fresh();
    script.always(status(500));
    const error = await thrownBy(responses().create({ model: name, input: 'x' }));
    expect(error).toMatchObject({ status: 502, code: 'bad_upstream_response', type: 'upstream_error', param: null });
    expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('x-should-retry')).toBe('false');
  });
});

describe('contract 5: tools and structured output', () => {
  const tool = zodResponsesFunction({ name: 'double', parameters: z.object({ n: z.number() }) });

  test('I: a function call comes back, and its output goes to the backend as a tool message', async () => {
    const { name, script } = fixture.fresh();
    script.answers(answers({ tool_calls: [CALL] }, 'tool_calls'), answers({ content: 'it is 42' }));
    const first = await responses().parse({ model: name, input: 'double 21', tools: [tool] });
    const [call] = first.output;
    expect(call).toMatchObject({
      type: 'function_call',
      call_id: 'call_1',
      name: 'double',
      parsed_arguments: { n: 21 },
    });
    const second = await responses().create({
      model: name,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: '42' }],
      tools: [tool],
    });
    expect(second.output_text).toBe('it is 42');
    expect(script.requests[1]?.body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', tool_calls: [CALL] }, { role: 'tool', content: '42' }],
    });
  });

  test('T76: a streamed function call is assembled from deltas without ids', async () => {
    const { name, script } = fixture.fresh();
    const part = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
    const begin = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '' } };
    const rest = ['{"n"', ':', '21}'].map((text) => part({ function: { arguments: text } }));
    script.answers(events(role(), part(begin), ...rest, fin('tool_calls')));
    const runner = responses().stream({ model: name, input: 'x', tools: [tool] });
    const deltas: string[] = [];
    runner.on('response.function_call_arguments.delta', ({ delta: piece }) => deltas.push(piece));
    const response = await runner.finalResponse();
    expect(deltas.join('')).toBe('{"n":21}');
    expect(response.output).toMatchObject([{ type: 'function_call', arguments: '{"n":21}', call_id: 'call_1' }]);
  });

  test('I: parse gives the typed value; the schema reaches the backend', async () => {
    const { name, script } = fixture.fresh();
    script.answers(answers({ content: '{"city":"Oslo","celsius":-3}' }));
    const text = { format: zodTextFormat(place, 'place') };
    const response = await responses().parse({ model: name, input: 'weather', text });
    expect(response.output_parsed).toEqual({ city: 'Oslo', celsius: -3 });
    expect(script.requests[0]?.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'place' } },
    });
  });

  test('contract 5: cut by its length it is incomplete', async () => {
    const { name, script } = fixture.fresh();
    script.answers(answers({ content: 'so fa' }, 'length'));
    const response = await responses().create({ model: name, input: 'x', max_output_tokens: 16 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  test('I: a refusal is a part of its own', async () => {
    const { name, script } = fixture.fresh();
    script.answers(answers({ refusal: 'no' }));
    const { output } = await responses().create({ model: name, input: 'x' });
    expect(output).toMatchObject([{ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }]);
  });
});

describe('contract 5: the background', () => {
  async function until(id: string, wanted: string): Promise<OpenAI.Responses.Response> {
    for (;;) {
      const response = await responses().retrieve(id);
      if (response.status === wanted) return response;
      expect(['queued', 'in_progress']).toContain(response.status);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test('contract 5: queued at once, completed later', async () => {
    const { id, status: first } = await responses().create({
      model: fixture.fresh().name,
      input: 'x',
      background: true,
    });
    expect(['queued', 'in_progress']).toContain(first);
    expect((await until(id, 'completed')).output_text).toBe('echo: x');
  });

  test('contract 5: cancelled, twice', async () => {
    const { name, script } = fixture.fresh();
    script.always(halfOpen);
    const { id } = await responses().create({ model: name, input: 'x', background: true });
    await script.request(1);
    expect((await responses().cancel(id)).status).toBe('cancelled');
    await script.closed(1);
    expect((await responses().cancel(id)).status).toBe('cancelled');
  });

  test('contract 5: its stream can be taken up again after any event', async () => {
    const { name, script } = fixture.fresh();
    script.answers(events(role(), chunk('a'), chunk('b'), fin()));
    const all: OpenAI.Responses.ResponseStreamEvent[] = [];
    const open = await responses().create({ model: name, input: 'x', background: true, stream: true });
    for await (const event of open) all.push(event);
    const [first] = all;
    const id = first?.type === 'response.created' ? first.response.id : '';
    const rest: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await responses().retrieve(id, { stream: true, starting_after: 2 })) rest.push(event);
    expect(rest.map(({ type, sequence_number }) => [type, sequence_number])).toEqual(
      all.slice(3).map(({ type, sequence_number }) => [type, sequence_number]),
    );
  });

  test('contract 5: only a background response can be cancelled', async () => {
    const { id } = await responses().create({ model: fixture.fresh().name, input: 'x' });
    expect(await thrownBy(responses().cancel(id))).toBeInstanceOf(OpenAI.BadRequestError);
  });
});

describe('contract 5: lists and refusals', () => {
  test('contract 5: input items in pages, in both orders', async () => {
    const input = ['a', 'b', 'c', 'd', 'e'].map((content) => ({ role: 'user' as const, content }));
    const { id } = await responses().create({ model: fixture.fresh().name, input });
    const texts = async (order: 'asc' | 'desc') => {
      const all: string[] = [];
      for await (const item of responses().inputItems.list(id, { order, limit: 2 })) all.push(JSON.stringify(item));
      return all.map((item) => /"text":"(\w)"/.exec(item)?.[1]).join('');
    };
    expect(await texts('asc')).toBe('abcde');
    expect(await texts('desc')).toBe('edcba');
  });

  test.each([
    ['no model', { input: 'x' }, 400, 'missing_required_parameter', 'model'],
    ['no input', { model: 'c1' }, 400, 'missing_required_parameter', 'input'],
    ['an unknown model', { model: 'nope', input: 'x' }, 404, 'model_not_found', 'model'],
    [
      'store off in the background',
      { model: 'c1', input: 'x', background: true, store: false },
      400,
      'invalid_value',
      'store',
    ],
    ['too warm', { model: 'c1', input: 'x', temperature: 5 }, 400, 'invalid_value', 'temperature'],
  ])('T84: %s', async (_what, body, code, name, param) => {
    expect(await thrownBy(responses().create(body as never))).toMatchObject({ status: code, code: name, param });
  });

  test('contract 5: an unknown response, and one to go on from', async () => {
    expect(await thrownBy(responses().retrieve('resp_nope'))).toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
    const error = await thrownBy(
      responses().create({ model: fixture.fresh().name, input: 'x', previous_response_id: 'resp_nope' }),
    );
    expect(error).toMatchObject({ param: 'previous_response_id' });
  });

  test('contract 5: a failure in mid-stream is thrown, and stays in the stored response', async () => {
    const { name, script } = fixture.fresh();
    script.answers(stream([ev(role()), ev(chunk('a'))], { then: 'fin' }));
    let id = '';
    const reading = (async () => {
      for await (const event of await responses().create({ model: name, input: 'x', stream: true })) {
        if (event.type === 'response.created') id = event.response.id;
      }
    })();
    expect(await thrownBy(reading)).toBeInstanceOf(OpenAI.APIError);
    expect(await responses().retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
  });

  test('A10: leaving a stream lets the backend go', async () => {
    const { name, script } = fixture.fresh();
    script.always(stream([ev(role()), ev(chunk('a'))], { then: 'stall' }));
    for await (const { type } of await responses().create({ model: name, input: 'x', stream: true })) {
      if (type === 'response.output_text.delta') break;
    }
    await script.closed(1);
    const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
    expect(task.reason).toBe('client_disconnected');
  });

  test('contract 2: request id and task id', async () => {
    const { response, request_id } = await responses()
      .create({ model: fixture.fresh().name, input: 'x' })
      .withResponse();
    expect(request_id).toMatch(/^req_/);
    expect(response.headers.get('x-soai-task-id')).toMatch(/.+/);
  });
});
