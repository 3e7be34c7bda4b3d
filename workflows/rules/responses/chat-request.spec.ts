import { chatRequestOf } from './chat-request';

const asked = (fields: Record<string, unknown>) => {
  const translated = chatRequestOf({ model: 'm', input: 'hi', ...fields });
  return translated.kind === 'body' ? translated.body : translated;
};
const messages = (input: unknown) => asked({ input })['messages' as never];
const refusedFor = (fields: Record<string, unknown>): unknown => {
  const translated = chatRequestOf({ model: 'm', input: 'hi', ...fields });
  if (translated.kind === 'body') return null;
  expect(translated.failure).toMatchObject({ kind: 'status', status: 400 });
  return (JSON.parse(translated.failure.body ?? '') as { error: { param: string } }).error.param;
};

test('T80: fields that neither API knows go along untouched, and what is between the client and SoAI stays here', () => {
  expect(
    asked({
      x_vendor: { a: [1] },
      temperature: 0.5,
      seed: null,
      store: true,
      background: true,
      metadata: { a: 'b' },
      previous_response_id: 'resp_1',
      truncation: 'auto',
      include: ['reasoning.encrypted_content'],
      max_tool_calls: 3,
      stream: false,
    }),
  ).toEqual({
    model: 'm',
    x_vendor: { a: [1] },
    temperature: 0.5,
    stream: false,
    messages: [{ role: 'user', content: 'hi' }],
  });
});

test('I: instructions come first, limits and formats get chat’s names', () => {
  expect(
    asked({
      instructions: 'be brief',
      max_output_tokens: 9,
      stream: true,
      reasoning: { effort: 'low', summary: 'auto' },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', schema: { a: 1 }, strict: true, description: null },
      },
      include: ['message.output_text.logprobs'],
      parallel_tool_calls: false,
    }),
  ).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ],
    max_tokens: 9,
    reasoning_effort: 'low',
    verbosity: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { a: 1 }, strict: true } },
    logprobs: true,
    parallel_tool_calls: false,
  });
  expect(asked({ text: { format: { type: 'json_object' } } })).toMatchObject({
    response_format: { type: 'json_object' },
  });
  expect(asked({ text: { format: { type: 'text' } } })).not.toHaveProperty('response_format');
});

test('I: tools and their choice', () => {
  const tool = { type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: false };
  const named = { type: 'function', function: { name: 'f' } };
  expect(asked({ tools: [tool], tool_choice: { type: 'function', name: 'f' } })).toMatchObject({
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: false } }],
    tool_choice: named,
  });
  const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] };
  expect(asked({ tools: [tool], tool_choice: allowed })).toMatchObject({
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } },
  });
  expect(asked({ tools: [], tool_choice: 'none' })).not.toHaveProperty('tools');
});

test('I: parts of every kind are passed on', () => {
  const content = [
    { type: 'input_text', text: 'look' },
    { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:…' },
    { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
  ];
  expect(messages([{ role: 'user', content }])).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:…' } },
        { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
      ],
    },
  ]);
});

test('T73: a turn with calls is one assistant message, and their outputs follow as tool messages', () => {
  const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'f', arguments: '{}' });
  expect(
    messages([
      { type: 'message', role: 'developer', content: 'rules' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'let ' },
          { type: 'output_text', text: 'me' },
        ],
      },
      call('a'),
      call('b'),
      { type: 'function_call_output', call_id: 'a', output: '1' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: '2' }] },
      call('c'),
    ]),
  ).toEqual([
    { role: 'system', content: 'rules' },
    {
      role: 'assistant',
      content: 'let me',
      tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  ]);
});

test.each([
  ['tools[1].type', { tools: [{ type: 'function', name: 'f' }, { type: 'mcp' }] }],
  ['tool_choice.type', { tool_choice: { type: 'web_search' } }],
  ['input[1].type', { input: [{ role: 'user', content: 'x' }, { type: 'computer_call' }] }],
  ['input[0].content[0]', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }] }],
  ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'input_video' }] }] }],
  ['prompt', { prompt: { id: 'pmpt_1' } }],
])('I: what chat can’t say is refused, naming %s', (param, fields) => {
  expect(refusedFor(fields)).toBe(param);
});

test('I: nothing of a request is changed by translating it', () => {
  const input = [
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { role: 'assistant', content: 'x' },
  ];
  const body = { model: 'm', input, text: { format: { type: 'json_object' } } };
  const before = structuredClone(body);
  chatRequestOf(body);
  expect(body).toEqual(before);
});
