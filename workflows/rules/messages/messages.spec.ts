import fc from 'fast-check';
import type { RequestFacts } from '../dialects/client-dialect';
import type { ServerEvent } from '../dialects/answer-stream';
import { asText } from '../as-text';
import { chatRequestOf } from './chat-request';
import { messagesDialect } from './client-dialect';
import { MessageFromChat } from './from-chat';
import type { Block, MessageObject, MessageUsage } from './message-object';

const facts: RequestFacts = {
  taskId: 'task_018f0000-0000-7000-8000-000000000001',
  clientModel: 'team',
  acceptedAt: 0,
  background: false,
  body: {},
  eventsBefore: 0,
};

const asked = (body: Record<string, unknown>): Record<string, unknown> => {
  const translated = chatRequestOf(body);
  if (translated.kind === 'refused') throw new Error(translated.failure.message);
  return translated.body;
};

describe('I: a Messages request in chat words', () => {
  test('texts become strings, system comes first, limits and stops keep their meaning', () => {
    expect(
      asked({
        model: 'm',
        max_tokens: 7,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 's' },
              { type: 'text', text: 'yes' },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
        ],
        stop_sequences: ['END'],
        metadata: { user_id: 'u1' },
        temperature: 0.5,
        top_k: 4,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        service_tier: 'auto',
        x_vendor: { a: [1] },
        stream: true,
      }),
    ).toEqual({
      model: 'm',
      max_tokens: 7,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'a\n\nb' },
      ],
      stop: ['END'],
      user: 'u1',
      temperature: 0.5,
      top_k: 4,
      x_vendor: { a: [1] },
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('tools, their choice, their calls and their results', () => {
    const body = asked({
      model: 'm',
      max_tokens: 9,
      tools: [{ name: 'weather', description: 'The weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
      messages: [
        { role: 'user', content: 'Oslo?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'and here is a map' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: true,
              content: [
                { type: 'text', text: 'no route' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
            },
          ],
        },
      ],
    });
    expect(body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'weather', description: 'The weather', parameters: { type: 'object' } } },
      ],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      messages: [
        { role: 'user', content: 'Oslo?' },
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: no route' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'and here is a map' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    });
  });

  test.each([
    ['any', 'required'],
    ['auto', 'auto'],
    ['none', 'none'],
  ])('tool choice %s', (type, expected) => {
    expect(asked({ messages: [], tool_choice: { type } })).toMatchObject({ tool_choice: expected });
  });

  test('documents and images by URL', () => {
    const content = [
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
    ];
    expect(asked({ messages: [{ role: 'user', content }] })).toMatchObject({
      messages: [
        {
          content: [
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
            { type: 'text', text: 'plain' },
          ],
        },
      ],
    });
  });

  test.each([
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
    [{ messages: [{ role: 'user', content: [{ type: 'container_upload' }] }] }, 'messages[0].content[0].type'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file' } }] }] },
      'messages[0].content[0].source.type',
    ],
  ])('what chat has no word for is refused by name: %j', (fields, param) => {
    const translated = chatRequestOf({ messages: [], ...fields });
    expect(translated).toMatchObject({ kind: 'refused', failure: { status: 400 } });
    expect(JSON.stringify(translated)).toContain(param);
  });
});

type Delta = Record<string, unknown>;
const chunk = (delta: Delta, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] });
const usageChunk = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } },
});
const call = (index: number, fields: Record<string, unknown>): Delta => ({ tool_calls: [{ index, ...fields }] });

/** Reads events as the SDK's accumulator does, and as strictly. */
function accumulate(events: readonly ServerEvent[]): MessageObject {
  let message: (MessageObject & { content: Block[] }) | null = null;
  let open: number | null = null;
  let json = '';
  for (const { event, data } of events) {
    const parsed = JSON.parse(data) as Record<string, unknown>;
    expect(parsed['type']).toBe(event);
    if (event === 'message_start') {
      expect(message).toBeNull();
      message = { ...(parsed['message'] as MessageObject), content: [] };
      continue;
    }
    if (!message) throw new Error(`${event} before message_start`);
    const index = parsed['index'] as number;
    const block = message.content[index];
    switch (event) {
      case 'content_block_start':
        expect([open, index]).toEqual([null, message.content.length]);
        open = index;
        json = '';
        message.content.push({ ...(parsed['content_block'] as Block) });
        break;
      case 'content_block_delta': {
        expect(open).toBe(index);
        const delta = parsed['delta'] as Record<string, string>;
        if (delta['type'] === 'text_delta') block!['text'] = String(block!['text']) + delta['text'];
        if (delta['type'] === 'thinking_delta') block!['thinking'] = String(block!['thinking']) + delta['thinking'];
        if (delta['type'] === 'input_json_delta') json += delta['partial_json'];
        break;
      }
      case 'content_block_stop':
        expect(open).toBe(index);
        open = null;
        if (block!['type'] === 'tool_use') block!['input'] = json === '' ? {} : JSON.parse(json);
        break;
      case 'message_delta':
        message = { ...message, ...(parsed['delta'] as object), usage: parsed['usage'] as MessageUsage };
        break;
      default:
        expect(event).toBe('message_stop');
        expect(open).toBeNull();
    }
  }
  return message!;
}

const translated = (chunks: readonly string[], body: Record<string, unknown> = {}) => {
  const translator = new MessageFromChat({ ...facts, body });
  const events = chunks.flatMap((data) => translator.chunk(data));
  return { events: [...events, ...translator.end()], whole: JSON.parse(translator.assemble()) as MessageObject };
};

describe('I: a chat answer as a message', () => {
  test('text, its end and its usage, under the name asked for (D5)', () => {
    const { events, whole } = translated([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, { finish_reason: 'length' }),
      usageChunk,
    ]);
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(whole).toEqual({
      id: 'msg_018f0000000070008000000000000001',
      type: 'message',
      role: 'assistant',
      model: 'team',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 4 },
    });
    expect(accumulate(events)).toEqual(whole);
  });

  test('T76: calls interleaved by index, later deltas without ids, come out whole and one after the other', () => {
    const { events, whole } = translated([
      chunk({ content: 'Looking.' }),
      chunk(call(0, { id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } })),
      chunk(call(1, { id: 'call_b', function: { name: 'two', arguments: '{"b"' } })),
      chunk(call(0, { function: { arguments: '{"a":' } })),
      chunk(call(1, { function: { arguments: ':2}' } })),
      chunk(call(0, { function: { arguments: '1}' } })),
      chunk({}, { finish_reason: 'tool_calls' }),
    ]);
    expect(whole.content).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'call_a', name: 'one', input: { a: 1 } },
      { type: 'tool_use', id: 'call_b', name: 'two', input: { b: 2 } },
    ]);
    expect(whole.stop_reason).toBe('tool_use');
    expect(accumulate(events)).toEqual(whole);
  });

  test('calls with one id, or none, get ids of their own; arguments that are no object stay readable', () => {
    const { whole } = translated([
      chunk(call(0, { id: 'same', function: { name: 'one', arguments: '' } })),
      chunk(call(1, { id: 'same', function: { name: 'two', arguments: '[1]' } })),
      chunk(call(2, { function: { name: 'three', arguments: '{"cut' } })),
      chunk({}, { finish_reason: 'stop' }),
    ]);
    expect(new Set(whole.content.map(({ id }) => id)).size).toBe(3);
    expect(whole.content.map(({ input }) => input)).toEqual([{}, { value: [1] }, { invalid_json: '{"cut' }]);
    expect(whole.stop_reason).toBe('tool_use');
  });

  test('reasoning comes as a thinking block before the text', () => {
    const { events, whole } = translated([
      chunk({ reasoning_content: 'Let me ' }),
      chunk({ reasoning: 'think.' }),
      chunk({ content: 'Four.' }),
      chunk({}, { finish_reason: 'stop' }),
    ]);
    expect(whole.content).toEqual([
      { type: 'thinking', thinking: 'Let me think.', signature: '' },
      { type: 'text', text: 'Four.' },
    ]);
    expect(accumulate(events)).toEqual(whole);
  });

  test.each([
    ['stop', 'end_turn'],
    ['content_filter', 'refusal'],
    ['anything else', 'end_turn'],
  ])('finish reason %s is stop reason %s', (finish, expected) => {
    expect(translated([chunk({ content: 'x' }, { finish_reason: finish })]).whole.stop_reason).toBe(expected);
  });

  test('a stop sequence is named where the backend names it', () => {
    const { whole } = translated([chunk({ content: 'x' }, { finish_reason: 'stop', stop_reason: 'END' })], {
      stop_sequences: ['END'],
    });
    expect(whole).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
  });

  const deltas = fc.oneof(
    fc.string({ minLength: 1 }).map((content): Delta => ({ content })),
    fc.string({ minLength: 1 }).map((text): Delta => ({ reasoning_content: text })),
    fc
      .tuple(fc.nat(3), fc.constantFrom('one', 'two'))
      .map(([index, name]) => call(index, { function: { name, arguments: '' } })),
    fc
      .tuple(fc.nat(3), fc.constantFrom('{}', '{"a":1}', ''))
      .map(([index, args]) => call(index, { function: { arguments: args } })),
  );

  test('any order of deltas: the events accumulate to the stored message, and so does its replay', () => {
    fc.assert(
      fc.property(fc.array(deltas, { maxLength: 30 }), (parts) => {
        const { events, whole } = translated([
          ...parts.map((delta) => chunk(delta)),
          chunk({}, { finish_reason: 'stop' }),
        ]);
        const readable = whole.content.every(({ input }) => !JSON.stringify(input ?? '').includes('invalid_json'));
        if (readable) expect(accumulate(events)).toEqual(whole);
        expect(accumulate(messagesDialect.replay(JSON.stringify(whole), 0))).toEqual(whole);
        const texts = parts.map(({ content }) => (typeof content === 'string' ? content : '')).join('');
        expect(whole.content.map(({ text }) => asText(text)).join('')).toBe(texts);
      }),
    );
  });
});
