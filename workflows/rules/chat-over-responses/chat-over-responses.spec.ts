import fc from 'fast-check';
import { chunksOf } from '../chat-assembly';
import { ChatStream } from '../chat-stream';
import type { RequestFacts } from '../dialects/client-dialect';
import { PipedStream } from '../dialects/piped-stream';
import { ResponseFromChat } from '../responses/from-chat';
import { chatAnswerOf } from './answer';
import { ResponseEventDecoder } from './event-decoder';
import { responsesRequestOf } from './request';

type Fields = Record<string, unknown>;

const facts: RequestFacts = {
  taskId: 'task_01890000-0000-7000-8000-000000000001',
  clientModel: 'm',
  acceptedAt: 1_800_000_000_000,
  background: false,
  body: { model: 'm', input: 'x' },
  eventsBefore: 0,
};

interface Completion {
  readonly choices: readonly { message: Fields; finish_reason: string }[];
  readonly usage?: Fields;
}

const completion: fc.Arbitrary<Completion> = fc
  .record({
    content: fc.option(fc.string({ unit: 'binary', minLength: 1 })),
    reasoning: fc.option(fc.string({ minLength: 1 })),
    calls: fc.array(fc.record({ name: fc.string({ minLength: 1 }), args: fc.json({ maxDepth: 1 }) }), { maxLength: 3 }),
    finish: fc.constantFrom('stop', 'length', 'content_filter'),
  })
  .map(({ content, reasoning, calls, finish }) => ({
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content,
          refusal: null,
          ...(reasoning === null ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ name, args }, n) => ({
                  id: `call_${n}`,
                  type: 'function',
                  function: { name, arguments: args },
                })),
              }),
        },
        finish_reason: finish === 'stop' && calls.length > 0 ? 'tool_calls' : finish,
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  }));

/** The same answer as a backend of the Responses API would give it. */
function asResponse(answer: Completion): { readonly events: readonly string[]; readonly text: string } {
  const translator = new ResponseFromChat(facts);
  const chunks = chunksOf(
    JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', ...answer }),
    true,
  );
  const events = [...chunks.flatMap((chunk) => translator.chunk(chunk)), ...translator.end(facts.acceptedAt)];
  return { events: events.map(({ data }) => data), text: translator.assemble() };
}

test('I: a chat answer survives the way to the other protocol and back, plain', () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const back = JSON.parse(chatAnswerOf(asResponse(answer).text) ?? '') as Completion;
      expect(back.choices).toEqual(answer.choices);
      expect(back.usage).toMatchObject(answer.usage ?? {});
    }),
  );
});

test('I: and streamed', () => {
  fc.assert(
    fc.property(completion, (answer) => {
      const stream = new PipedStream(
        new ChatStream({ operation: 'chat', clientModel: 'm', includeUsage: true }),
        new ResponseEventDecoder(),
        null,
      );
      const done = asResponse(answer).events.map((event) => stream.step(event));
      expect(done.every((step) => step.failure === null)).toBe(true);
      expect(stream.finish(0).failure).toBeNull();
      const { choices } = JSON.parse(stream.assemble()) as Completion;
      const { refusal: _none, ...message } = answer.choices[0]!.message;
      const { refusal: _null, ...got } = choices[0]!.message;
      expect({ ...got, content: got['content'] === '' ? null : got['content'] }).toEqual(message);
      expect(choices[0]!.finish_reason).toBe(answer.choices[0]!.finish_reason);
      expect(stream.usage).toMatchObject({ promptTokens: 3, completionTokens: 4, totalTokens: 7 });
    }),
  );
});

test('K: what the backend reports as its failure is one, in an answer and in a stream', () => {
  const error = { code: 'rate_limit_exceeded', message: 'slow' };
  expect(JSON.parse(chatAnswerOf(JSON.stringify({ error, status: 'failed', output: [] })) ?? '')).toEqual({ error });
  expect(chatAnswerOf('{"object":"list"}')).toBeNull();
  expect(chatAnswerOf('nonsense')).toBeNull();
  for (const event of [
    { type: 'error', ...error },
    { type: 'error', error },
    { type: 'response.failed', response: { error } },
  ]) {
    const [decoded] = new ResponseEventDecoder().decode(JSON.stringify(event));
    expect(JSON.parse(decoded ?? '')).toEqual({ error });
  }
});

test('K: vendor events say nothing, broken lines stay for the chat stream to count', () => {
  const decoder = new ResponseEventDecoder();
  expect(decoder.decode('{"type":"acme:trace"}')).toEqual([]);
  expect(decoder.decode('nonsense')).toEqual(['nonsense']);
  expect(decoder.decode('[DONE]')).toEqual(['[DONE]']);
});

test('I: arguments that come only when they are done are not lost', () => {
  const decoder = new ResponseEventDecoder();
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' };
  const decoded = [
    { type: 'response.output_item.added', output_index: 3, item },
    { type: 'response.function_call_arguments.done', output_index: 3, arguments: '{}' },
  ].flatMap((event) => decoder.decode(JSON.stringify(event)));
  expect(decoded.map((each) => (JSON.parse(each) as { choices: Fields[] }).choices[0]?.['delta'])).toMatchObject([
    { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
  ]);
});

test('I: a chat request in the other protocol’s words', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  expect(
    responsesRequestOf({
      model: 'm',
      messages: [
        { role: 'system', content: 's' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
            { type: 'file', file: { file_data: 'data:…' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: '1' }] },
        { role: 'assistant', content: 'so' },
      ],
      max_tokens: 5,
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
      reasoning_effort: 'low',
      logprobs: true,
      stream: true,
      stream_options: { include_usage: true },
      n: 1,
      seed: null,
      x_vendor: 1,
    }),
  ).toEqual({
    kind: 'body',
    body: {
      model: 'm',
      stream: true,
      x_vendor: 1,
      store: false,
      input: [
        { type: 'message', role: 'system', content: 's' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'auto' },
            { type: 'input_file', file_data: 'data:…' },
          ],
        },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '1' },
        { type: 'message', role: 'assistant', content: 'so' },
      ],
      max_output_tokens: 5,
      tools: [{ type: 'function', name: 'f', parameters: {} }],
      tool_choice: { type: 'function', name: 'f' },
      text: { format: { type: 'json_schema', name: 'n', schema: {} } },
      reasoning: { effort: 'low' },
      include: ['message.output_text.logprobs'],
    },
  });
  expect(responsesRequestOf({ model: 'm', messages: [], n: 2 })).toMatchObject({ kind: 'refused' });
});
