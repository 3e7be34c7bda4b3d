/** LangChain for JavaScript against the real product and the fault upstream. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type AIMessageChunk } from '@langchain/core/messages';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAI, OpenAIEmbeddings, type ChatOpenAIFields } from '@langchain/openai';
import { z } from 'zod';
import { untilTask } from '../harness';
import {
  chunk,
  completion,
  delta,
  DONE,
  errorBody,
  ev,
  fin,
  halfOpen,
  json,
  rateLimited,
  role,
  status,
  stream,
  usageChunk,
  usageOf,
  vectorOf,
} from '../upstream';
import { thrownBy, withClients } from './fixture';

const fixture = withClients();
const connection = () => ({
  apiKey: fixture.soai.key,
  maxRetries: 0,
  configuration: { baseURL: `${fixture.soai.url}/v1` },
});
const chat = (model: string, more: Partial<ChatOpenAIFields> = {}) =>
  new ChatOpenAI({ model, ...connection(), ...more });
const events = (...chunks: readonly object[]) => stream([...chunks.map(ev), DONE]);
const CALL = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '{"n":21}' } };
const double = tool(({ n }: { n: number }) => String(2 * n), {
  name: 'double',
  description: 'doubles a number',
  schema: z.object({ n: z.number() }),
});
const place = z.object({ city: z.string(), celsius: z.number() });

describe('I: invoke', () => {
  test('I: text, usage and metadata', async () => {
    const { name, script } = fixture.fresh();
    script.answers(json(completion('hello', usageOf(5, 2))));
    const reply = await chat(name).invoke('hi');
    expect(reply.text).toBe('hello');
    expect(reply.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 2, total_tokens: 7 });
    expect(reply.response_metadata).toMatchObject({ finish_reason: 'stop', model_name: name });
  });

  test('I: messages of each kind, and settings, reach the backend', async () => {
    const { name, script } = fixture.fresh();
    await chat(name, { temperature: 0.25, maxTokens: 7, stop: ['x'] }).invoke([
      new SystemMessage('be brief'),
      new HumanMessage('double 21'),
      new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'double', args: { n: 21 } }] }),
      new ToolMessage({ content: '42', tool_call_id: 'call_1' }),
    ]);
    expect(script.requests[0]?.body).toMatchObject({
      temperature: 0.25,
      max_tokens: 7,
      stop: ['x'],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'double 21' },
        { role: 'assistant', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: '42' },
      ],
    });
  });

  test('I: a chain of prompt, model and parser', async () => {
    const prompt = ChatPromptTemplate.fromMessages([['human', 'tell me of {subject}']]);
    const chain = prompt.pipe(chat(fixture.fresh().name)).pipe(new StringOutputParser());
    expect(await chain.invoke({ subject: 'owls' })).toBe('echo: tell me of owls');
  });

  test('I: a batch runs at once and keeps its order', async () => {
    const replies = await chat(fixture.fresh().name).batch(['a', 'b', 'c', 'd']);
    expect(replies.map(({ text }) => text)).toEqual(['echo: a', 'echo: b', 'echo: c', 'echo: d']);
  });

  test('I: several generations of one prompt', async () => {
    const { name, script } = fixture.fresh();
    const whole = completion('');
    const choice = (index: number) => ({
      ...whole.choices[0],
      index,
      message: { role: 'assistant', content: `g${index}` },
    });
    script.answers(json({ ...whole, choices: [choice(0), choice(1)] }));
    const { generations } = await chat(name, { n: 2 }).generate([[new HumanMessage('hi')]]);
    expect(generations[0]?.map(({ text }) => text)).toEqual(['g0', 'g1']);
  });
});

describe('contract 4: streams', () => {
  const gathered = async (pieces: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> => {
    let whole: AIMessageChunk | undefined;
    for await (const piece of pieces) whole = whole ? whole.concat(piece) : piece;
    if (!whole) throw new Error('the stream was empty');
    return whole;
  };

  test('contract 4: the pieces add up, with their usage', async () => {
    const { name, script } = fixture.fresh();
    script.answers(events(role(), chunk('a'), chunk('b'), fin(), usageChunk(usageOf(4, 2))));
    const whole = await gathered(await chat(name).stream('hi'));
    expect(whole.text).toBe('ab');
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 4, output_tokens: 2 });
    expect(script.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('T78: streamUsage off: none is asked for and none comes', async () => {
    const { name, script } = fixture.fresh();
    script.answers(events(role(), chunk('a'), fin(), usageChunk(usageOf(4, 2))));
    const whole = await gathered(await chat(name, { streamUsage: false }).stream('hi'));
    expect(whole.usage_metadata).toBeUndefined();
  });

  test('T75: tool calls in pieces add up', async () => {
    const { name, script } = fixture.fresh();
    const part = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
    const begin = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '' } };
    const rest = ['{"n":', '21}'].map((text) => part({ function: { arguments: text } }));
    script.answers(events(role(), part(begin), ...rest, fin('tool_calls')));
    const whole = await gathered(await chat(name).bindTools([double]).stream('hi'));
    expect(whole.tool_calls).toMatchObject([{ id: 'call_1', name: 'double', args: { n: 21 } }]);
  });

  test('T13: a stream that breaks off throws', async () => {
    const { name, script } = fixture.fresh();
    script.answers(stream([ev(role()), ev(chunk('a'))], { then: 'fin' }));
    const error = await thrownBy(gathered(await chat(name).stream('hi')));
    expect(error).toMatchObject({ code: 'upstream_stream_interrupted' });
  });

  test('A10: leaving a stream lets the backend go', async () => {
    const { name, script } = fixture.fresh();
    script.always(stream([ev(role()), ev(chunk('a'))], { then: 'stall' }));
    const leave = new AbortController();
    const pieces = await chat(name).stream('hi', { signal: leave.signal });
    const reading = (async () => {
      for await (const { text } of pieces) if (text === 'a') leave.abort();
    })();
    await reading.catch(() => undefined);
    await script.closed(1);
    const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
    expect(task.reason).toBe('client_disconnected');
  });
});

describe('I: tools and structured output', () => {
  const answersWith = (message: object) =>
    json({ ...completion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });

  test('I: bindTools: the definition goes out, the call comes back and can be run', async () => {
    const { name, script } = fixture.fresh();
    script.answers(answersWith({ role: 'assistant', content: null, tool_calls: [CALL] }));
    const { tool_calls } = await chat(name).bindTools([double]).invoke('double 21');
    expect(tool_calls).toMatchObject([{ id: 'call_1', name: 'double', args: { n: 21 } }]);
    expect(await double.invoke({ n: 21 })).toBe('42');
    expect(script.requests[0]?.body).toMatchObject({ tools: [{ type: 'function', function: { name: 'double' } }] });
  });

  test.each(['jsonSchema', 'functionCalling'] as const)('I: withStructuredOutput by %s', async (method) => {
    const { name, script } = fixture.fresh();
    const args = '{"city":"Oslo","celsius":-3}';
    const call = { ...CALL, function: { name: 'place', arguments: args } };
    script.answers(
      method === 'jsonSchema'
        ? json(completion(args))
        : answersWith({ role: 'assistant', content: null, tool_calls: [call] }),
    );
    const model = chat(name).withStructuredOutput(place, { name: 'place', method });
    expect(await model.invoke('weather')).toEqual({ city: 'Oslo', celsius: -3 });
  });
});

describe('T84: failures', () => {
  test.each([
    [400, json(errorBody('Too long.', 'invalid_request_error', 'context_length_exceeded'), { status: 400 }), 400],
    [429, rateLimited({ 'retry-after-ms': 1 }), 429],
    [500, status(500), 502],
  ] as const)("T84: a backend's %i", async (_sent, answer, seen) => {
    const { name, script } = fixture.fresh();
    script.always(answer);
    expect(await thrownBy(chat(name).invoke('hi'))).toMatchObject({ status: seen });
  });

  test('T84: an unknown model and a wrong key', async () => {
    expect(await thrownBy(chat('no-such-model').invoke('hi'))).toMatchObject({ status: 404 });
    expect(await thrownBy(chat('c1', { apiKey: 'sk-nonsense' }).invoke('hi'))).toMatchObject({ status: 401 });
  });

  test('A10: a call that is aborted lets the backend go', async () => {
    const { name, script } = fixture.fresh();
    script.always(halfOpen);
    const leave = new AbortController();
    const waiting = thrownBy(chat(name).invoke('hi', { signal: leave.signal }));
    await script.request(1);
    leave.abort();
    expect(String(await waiting)).toMatch(/abort/i);
    await script.closed(1);
  });
});

describe('I: the other routes', () => {
  test('I: a completion model, plain and streamed', async () => {
    const model = new OpenAI({ model: fixture.fresh().name, ...connection() });
    expect(await model.invoke('say it')).toBe('echo: say it');
    let text = '';
    for await (const piece of await model.stream('say it')) text += piece;
    expect(text).toBe('echo: say it');
  });

  test('T93: documents and a query, as vectors', async () => {
    const embeddings = new OpenAIEmbeddings({ model: fixture.fresh().name, batchSize: 2, ...connection() });
    const texts = ['one', 'two', 'three'];
    expect(await embeddings.embedDocuments(texts)).toEqual(texts.map(vectorOf));
    expect(await embeddings.embedQuery('q')).toEqual(vectorOf('q'));
  });

  test('T93: base64 asked for is decoded by the client', async () => {
    const { name, script } = fixture.fresh();
    const embeddings = new OpenAIEmbeddings({ model: name, encodingFormat: 'base64', ...connection() });
    const [vector] = await embeddings.embedDocuments(['x']);
    expect(script.requests[0]?.body).toMatchObject({ encoding_format: 'base64' });
    expect(vector).toEqual(Buffer.from(new Float32Array(vectorOf('x')).buffer).toString('base64'));
  });
});
