/** The official client against the real product: what people will do first. */
import OpenAI from 'openai';
import { backends, endedOf, openai, taskDetail, withSoai } from '../harness';
import { delta, DONE, ev, fin, json, rateLimited, role, status, stream } from '../upstream';
import { settings } from './settings';

const MODELS = ['plain', 'streamed', 'tools', 'tools-stream', 'e429', 'e500'];
const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'up', url: upstream.url, models: MODELS },
      { id: 'closed', url: 'http://127.0.0.1:1/v1', models: ['e503'] },
    ),
  ),
);
const messages = [{ role: 'user' as const, content: 'say it' }];

test('I: lists the models and reads one', async () => {
  const client = openai(fixture.soai);
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(MODELS));
  expect(await client.models.retrieve('plain')).toMatchObject({ id: 'plain', object: 'model' });
});

test('I: a plain chat completion, with its request id and task id', async () => {
  const { data, response, request_id } = await openai(fixture.soai)
    .chat.completions.create({ model: 'plain', messages })
    .withResponse();
  expect(data.choices[0]?.message.content).toBe('echo: say it');
  expect(data.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
  expect(request_id).toBeTruthy();
  expect(response.headers.get('x-soai-served-by')).toBe('plain');
  const id = response.headers.get('x-soai-task-id') ?? '';
  expect(await taskDetail(fixture.soai, id)).toMatchObject({
    state: 'completed',
    model: 'plain',
    served_by: { model: 'plain', plugin: 'up' },
    usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    attempts: [{ number: 1, outcome: 'ok' }],
  });
});

test('I: a streamed one, as the SDK assembles it', async () => {
  const runner = openai(fixture.soai).chat.completions.stream({
    model: 'streamed',
    messages,
    stream_options: { include_usage: true },
  });
  const whole = await runner.finalChatCompletion();
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'echo: say it', role: 'assistant' },
  });
  expect(whole.usage).toMatchObject({ total_tokens: 5 });
  expect((await endedOf(fixture.soai, 'streamed')).usage).toMatchObject({ total_tokens: 5 });
});

const TOOL = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
};
const CALL = { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Oslo"}' } };

test('I: tools are passed through both ways', async () => {
  const answer = { role: 'assistant', content: null, tool_calls: [CALL] };
  fixture.upstream.model('tools').answers(
    json({
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'x',
      choices: [{ index: 0, message: answer, finish_reason: 'tool_calls' }],
    }),
  );
  const reply = await openai(fixture.soai).chat.completions.create({
    model: 'tools',
    messages,
    tools: [TOOL],
    tool_choice: 'required',
  });
  expect(reply.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: answer });
  expect(fixture.upstream.model('tools').requests[0]?.body).toMatchObject({ tools: [TOOL], tool_choice: 'required' });
});

test('I: streamed tool calls are assembled by the SDK', async () => {
  const part = (fields: object) => ev(delta({ tool_calls: [{ index: 0, ...fields }] }));
  fixture.upstream
    .model('tools-stream')
    .answers(
      stream([
        ev(role()),
        part({ id: CALL.id, type: 'function', function: { name: 'weather', arguments: '' } }),
        part({ function: { arguments: '{"city":' } }),
        part({ function: { arguments: '"Oslo"}' } }),
        ev(fin('tool_calls')),
        DONE,
      ]),
    );
  const whole = await openai(fixture.soai)
    .chat.completions.stream({ model: 'tools-stream', messages, tools: [TOOL] })
    .finalChatCompletion();
  expect(whole.choices[0]?.message.tool_calls).toMatchObject([CALL]);
});

describe('T84: every failure has the four keys, and the SDK raises the matching class', () => {
  const ask = (model: string, more: object = {}, apiKey = fixture.soai.key) =>
    new OpenAI({ apiKey, baseURL: `${fixture.soai.url}/v1`, maxRetries: 0 }).chat.completions.create({
      model,
      messages,
      ...more,
    });

  test.each([
    [400, OpenAI.BadRequestError, () => ask('plain', { temperature: 'hot' })],
    [401, OpenAI.AuthenticationError, () => ask('plain', {}, 'sk-nonsense')],
    [404, OpenAI.NotFoundError, () => ask('no-such-model')],
    [
      429,
      OpenAI.RateLimitError,
      () => (fixture.upstream.model('e429').always(rateLimited({ 'retry-after-ms': 5 })), ask('e429')),
    ],
    [502, OpenAI.InternalServerError, () => (fixture.upstream.model('e500').always(status(500)), ask('e500'))],
    [503, OpenAI.InternalServerError, () => ask('e503')],
  ] as const)('T84: %i', async (code, errorClass, call) => {
    const error = await call().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(errorClass);
    const { status: seen, error: body, requestID } = error as InstanceType<typeof OpenAI.APIError>;
    expect(seen).toBe(code);
    expect(requestID).toBeTruthy();
    expect(body).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    expect(Object.keys(body ?? {})).toEqual(expect.arrayContaining(['message', 'type', 'param', 'code']));
    expect(JSON.stringify(body)).not.toContain('None');
  });
});
