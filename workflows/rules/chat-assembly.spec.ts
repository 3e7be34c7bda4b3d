import { ChatAssembly, chunksOf } from './chat-assembly';
import { readChunk } from './chat-chunk';
import { ChatStream } from './chat-stream';

type Fields = Record<string, unknown>;

interface Assembled {
  readonly choices: readonly { readonly message: Fields; readonly logprobs: unknown }[];
}

function assemble(...chunks: Fields[]): Assembled {
  const assembly = new ChatAssembly('chat');
  for (const fields of chunks) {
    const chunk = readChunk(JSON.stringify(fields));
    assembly.add(chunk?.fields ?? {}, chunk?.choices ?? []);
  }
  return JSON.parse(assembly.toJson('vm')) as Assembled;
}

const delta = (fields: Fields, more: Fields = {}): Fields => ({
  id: 'c1',
  created: 7,
  choices: [{ index: 0, delta: fields, ...more }],
});

test('K: the stored answer is the plain answer that the stream amounts to', () => {
  const answer = assemble(
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hel', reasoning_content: 'a' }),
    delta({ content: 'lo', reasoning_content: 'b' }),
    { ...delta({}, { finish_reason: 'stop' }), usage: { total_tokens: 2 }, system_fingerprint: 'fp' },
  );
  expect(answer).toEqual({
    id: 'c1',
    created: 7,
    system_fingerprint: 'fp',
    object: 'chat.completion',
    model: 'vm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello', reasoning_content: 'ab' }, finish_reason: 'stop' },
    ],
    usage: { total_tokens: 2 },
  });
});

test('T76: the pieces of tool calls join by index, ids and names once', () => {
  const answer = assemble(
    delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{' } }] }),
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
    delta({ tool_calls: [{ index: 1, id: null, function: { name: null, arguments: '}' } }] }),
    delta({}, { finish_reason: 'tool_calls' }),
  );
  expect(answer.choices[0]?.message).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ],
  });
});

test('log probabilities are joined, choices come in the order of their index', () => {
  const answer = assemble(
    { choices: [{ index: 1, delta: { content: 'y' }, logprobs: { content: [{ token: 'y' }] } }] },
    { choices: [{ index: 0, delta: { content: 'x' }, logprobs: null }] },
    { choices: [{ index: 1, delta: { content: 'z' }, logprobs: { content: [{ token: 'z' }] } }] },
  );
  expect(answer.choices.map(({ logprobs }) => logprobs)).toEqual([null, { content: [{ token: 'y' }, { token: 'z' }] }]);
});

test('a delta that names __proto__ is data and changes no object', () => {
  const assembly = new ChatAssembly('chat');
  const chunk = readChunk('{"choices":[{"index":0,"delta":{"__proto__":{"polluted":"yes"},"content":"x"}}]}');
  assembly.add(chunk?.fields ?? {}, chunk?.choices ?? []);
  expect(assembly.toJson('vm')).toContain('"__proto__":{"polluted":"yes"}');
  expect(({} as Fields)['polluted']).toBeUndefined();
});

test('A9, C7: a stored answer given as a stream amounts to the same answer', () => {
  const stored = JSON.stringify({
    id: 'c1',
    created: 7,
    object: 'chat.completion',
    model: 'vm',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      {
        index: 1,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  });
  for (const includeUsage of [true, false]) {
    const stream = new ChatStream({ operation: 'chat', clientModel: 'vm', includeUsage });
    const chunks = chunksOf(stored, includeUsage);
    for (const chunk of chunks) expect(stream.step(chunk)).toMatchObject({ failure: null });
    expect(stream.finish().failure).toBeNull();
    const { usage, ...answer } = JSON.parse(stored) as Fields;
    expect(JSON.parse(stream.assemble())).toEqual(includeUsage ? { ...answer, usage } : answer);
    expect(chunks.some((chunk) => chunk.includes('"usage"'))).toBe(includeUsage);
  }
});

test('A9: a stored completion too', () => {
  const stored = {
    id: 'x',
    object: 'text_completion',
    model: 'vm',
    choices: [{ index: 0, text: 'abc', finish_reason: 'stop' }],
  };
  const stream = new ChatStream({ operation: 'completions', clientModel: 'vm', includeUsage: false });
  for (const chunk of chunksOf(JSON.stringify(stored), false)) stream.step(chunk);
  expect(stream.finish().failure).toBeNull();
  expect(JSON.parse(stream.assemble())).toEqual(stored);
});
