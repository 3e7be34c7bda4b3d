import fc from 'fast-check';
import { ChatStream, type ChatStreamOptions } from './chat-stream';

type Fields = Record<string, unknown>;

interface SentChunk {
  readonly model: string;
  readonly usage?: Fields | null;
  readonly choices: readonly { readonly delta?: { content?: string; tool_calls?: { index: number }[] } }[];
}

const BASE = { id: 'c1', object: 'chat.completion.chunk', created: 7, model: 'up-a' };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const chunk = (choice: Fields, more: Fields = {}) =>
  JSON.stringify({ ...BASE, choices: [{ index: 0, finish_reason: null, ...choice }], ...more });
const role = chunk({ delta: { role: 'assistant', content: '' } });
const content = (text: string) => chunk({ delta: { content: text } });
const fin = chunk({ delta: {}, finish_reason: 'stop' });
const usageChunk = JSON.stringify({ ...BASE, choices: [], usage: USAGE });
const DONE = '[DONE]';

/** Plays a backend's whole stream. */
function play(events: readonly string[], options: Partial<ChatStreamOptions> = {}) {
  const stream = new ChatStream({ operation: 'chat', clientModel: 'vm', includeUsage: false, ...options });
  const texts: string[] = [];
  for (const event of events) {
    const step = stream.step(event);
    texts.push(...step.forward);
    if (step.failure) return { stream, texts, sent: parse(texts), failure: step.failure };
    if (step.done) break;
  }
  const end = stream.finish();
  texts.push(...end.forward);
  return { stream, texts, sent: parse(texts), failure: end.failure };
}

function parse(texts: readonly string[]): SentChunk[] {
  return texts.map((text) => JSON.parse(text) as SentChunk);
}

function spoken(sent: readonly SentChunk[]): string {
  return sent.flatMap(({ choices }) => choices.map(({ delta }) => delta?.content ?? '')).join('');
}

describe('holding the preamble back', () => {
  test('K, T14: a role-only chunk gives the client nothing, the first content releases both in order', () => {
    const stream = new ChatStream({ operation: 'chat', clientModel: 'vm', includeUsage: false });
    expect(stream.step(role).forward).toEqual([]);
    expect(stream.given).toBe(false);
    const { forward } = stream.step(content('hi'));
    expect(parse(forward).map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'hi' },
    ]);
    expect(stream.given).toBe(true);
  });

  test.each<[string, Fields]>([
    ['text', { delta: { content: 'x' } }],
    ['a blank', { delta: { content: ' ' } }],
    [
      'a tool call',
      { delta: { tool_calls: [{ index: 0, id: 't', type: 'function', function: { name: 'f', arguments: '' } }] } },
    ],
    ['a refusal', { delta: { refusal: 'no' } }],
    ['reasoning', { delta: { reasoning_content: 'hm' } }],
    ['audio', { delta: { audio: { id: 'a' } } }],
    ['a finish reason', { delta: {}, finish_reason: 'length' }],
  ])('K: %s is content', (_name, choice) => {
    const { stream } = play([role, chunk(choice)]);
    expect(stream.given).toBe(true);
  });

  test.each<[string, Fields]>([
    ['an empty text', { delta: { content: '' } }],
    ['null members', { delta: { content: null, tool_calls: null, refusal: null } }],
    ['an empty tool list', { delta: { tool_calls: [] } }],
    ['an empty delta', { delta: {} }],
    ['no delta', {}],
    ['an empty finish reason', { delta: {}, finish_reason: '' }],
  ])('K: %s is not', (_name, choice) => {
    const { stream, texts } = play([role, chunk(choice)]);
    expect(stream.given).toBe(false);
    expect(texts).toEqual([]);
  });

  test('K: the 64th held event releases all of them', () => {
    const stream = new ChatStream({ operation: 'chat', clientModel: 'vm', includeUsage: false });
    for (let event = 1; event < 64; event += 1) expect(stream.step(role).forward).toEqual([]);
    expect(stream.step(role).forward).toHaveLength(64);
    expect(stream.given).toBe(true);
  });

  test('K: so does the event that fills 256 KiB, counted in UTF-8', () => {
    const stream = new ChatStream({ operation: 'chat', clientModel: 'vm', includeUsage: false });
    const padded = (crabs: number) => chunk({ delta: {} }, { padding: '🦀'.repeat(crabs) });
    expect(stream.step(padded(50_000)).forward).toEqual([]);
    expect(stream.step(padded(16_000)).forward).toHaveLength(2);
  });
});

describe('errors inside a stream', () => {
  test('T18: before any content nothing of it reaches the client, and the status is told', () => {
    const { stream, texts, failure } = play([
      role,
      '{"error":{"code":"rate_limit_exceeded","message":"slow down"}}',
      content('x'),
    ]);
    expect(texts).toEqual([]);
    expect(stream.given).toBe(false);
    expect(failure).toMatchObject({ kind: 'status', status: 429, message: 'slow down' });
  });

  test.each([
    ['{"error":{"message":"m","code":503}}', { kind: 'status', status: 503 }],
    ['{"error":{"message":"m","code":"400"}}', { kind: 'status', status: 400 }],
    ['{"error":{"message":"m","type":"authentication_error"}}', { kind: 'status', status: 401 }],
    ['{"object":"error","message":"m","code":404}', { kind: 'status', status: 404 }],
    ['{"error":{"message":"m","code":"odd"}}', { kind: 'malformed' }],
    ['{"error":"m"}', { kind: 'malformed' }],
    ['{"error":{"code":99}}', { kind: 'malformed' }],
  ])('T18: %s', (event, expected) => {
    expect(play([role, event]).failure).toMatchObject(expected);
  });

  test('T13: in the middle it follows what was given, and nothing follows it', () => {
    const { stream, sent, failure } = play([role, content('ab'), '{"error":{"message":"gone"}}', content('cd')]);
    expect(spoken(sent)).toBe('ab');
    expect(stream.given).toBe(true);
    expect(failure).toMatchObject({ kind: 'malformed', message: 'gone' });
    expect(stream.step(content('ef')).forward).toEqual([]);
    expect(stream.finish().failure).toBe(failure);
  });

  test('K: `error: null` beside an answer is no error', () => {
    expect(play([role, chunk({ delta: { content: 'x' } }, { error: null }), fin]).failure).toBeNull();
  });
});

describe('the end of a stream', () => {
  test('T23a: a finish reason without [DONE] is a success', () => {
    const { failure, sent } = play([role, content('x'), fin]);
    expect(failure).toBeNull();
    expect(sent).toHaveLength(3);
  });

  test('T23b, D8: no finish reason is a truncated answer, with or without usage and [DONE]', () => {
    for (const tail of [[], [usageChunk], [DONE], [usageChunk, DONE]]) {
      expect(play([role, content('x'), ...tail]).failure).toMatchObject({ kind: 'malformed' });
    }
  });

  test('T14: a stream that ends before any event is truncated too', () => {
    expect(play([]).failure).toMatchObject({ kind: 'malformed' });
    expect(play([DONE]).failure).toMatchObject({ kind: 'malformed' });
  });

  test('K: with several choices each needs its finish reason', () => {
    const second = chunk({ index: 1, delta: { content: 'y' } });
    const secondFin = chunk({ index: 1, delta: {}, finish_reason: 'stop' });
    expect(play([role, second, content('x'), fin]).failure).toMatchObject({ kind: 'malformed' });
    expect(play([role, second, content('x'), fin, secondFin]).failure).toBeNull();
  });

  test('[DONE] ends it, whatever comes after', () => {
    const { sent, failure } = play([role, content('x'), fin, DONE, content('y'), DONE]);
    expect(spoken(sent)).toBe('x');
    expect(failure).toBeNull();
  });
});

describe('broken lines', () => {
  test('T16: one is dropped and counted, the answer stays whole', () => {
    const first = Array.from({ length: 9 }, () => content('a'));
    const second = Array.from({ length: 51 }, () => content('b'));
    const { stream, sent, failure } = play([...first, '{"choices":[{"del', ...second, fin, DONE]);
    expect(spoken(sent)).toBe('a'.repeat(9) + 'b'.repeat(51));
    expect(stream.badLines).toBe(1);
    expect(failure).toBeNull();
  });

  test.each(['', 'null', '7', '[]', '{}', '{"choices":{}}', '{"choices":[1]}', '{"type":"ping"}'])(
    'K: %p is one',
    (line) => {
      const { stream, texts } = play([role, content('x'), line, fin]);
      expect(stream.badLines).toBe(1);
      expect(texts).toHaveLength(3);
    },
  );
});

describe('fidelity', () => {
  test('D5, T82: every chunk carries the model the client asked for', () => {
    const noModel = JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content: 'y' } }] });
    const { sent } = play([role, content('x'), noModel, fin, usageChunk], { includeUsage: true });
    expect(sent.map(({ model }) => model)).toEqual(['vm', 'vm', 'vm', 'vm', 'vm']);
  });

  test('T75: absent stays absent, null stays null, numbers keep their spelling', () => {
    const odd =
      '{"model":"up","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"1"}}]},"logprobs":{"x":-0.10}}],"big":12345678901234567890}';
    const { texts } = play([role, odd, fin]);
    expect(texts[1]).toBe(odd.replace('"up"', '"vm"'));
  });

  test('T01: any text arrives as it was sent, whatever its pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (pieces) => {
        const { stream, sent } = play([role, ...pieces.map(content), fin]);
        expect(spoken(sent)).toBe(pieces.join(''));
        expect(JSON.parse(stream.assemble())).toMatchObject({ choices: [{ message: { content: pieces.join('') } }] });
      }),
    );
  });

  test('a choice that never names its role gets one in its first chunk, and only there', () => {
    const other = chunk({ index: 1, delta: { content: 'y' } });
    const { sent } = play([content('a'), other, content('b'), fin]);
    expect(sent.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'y' },
      { content: 'b' },
      {},
    ]);
    expect(play([chunk({ delta: { role: null, content: 'a' } }), fin]).sent[0]?.choices[0]?.delta).toEqual({
      role: 'assistant',
      content: 'a',
    });
  });

  test('K: no event of any kind makes it throw or gives more than it got', () => {
    const event = fc.oneof(fc.json(), fc.string(), fc.constantFrom(role, fin, usageChunk, DONE, content('x')));
    fc.assert(
      fc.property(fc.array(event), fc.boolean(), (events, includeUsage) => {
        const { texts, stream } = play(events, { includeUsage });
        expect(texts.length).toBeLessThanOrEqual(events.length);
        expect(texts.length > 0).toBe(stream.given);
        expect(() => stream.assemble()).not.toThrow();
      }),
    );
  });
});

describe('usage', () => {
  const inLastChunk = chunk({ delta: {}, finish_reason: 'stop' }, { usage: USAGE });
  const running = chunk({ delta: { content: 'x' } }, { usage: { ...USAGE, total_tokens: 1 } });

  test.each([
    ['a chunk of its own', [role, content('x'), fin, usageChunk]],
    ['the last chunk with choices', [role, content('x'), inLastChunk]],
    ['every chunk', [role, running, inLastChunk, usageChunk]],
  ])('T78: asked for, it is one chunk with choices [] at the end, when the backend sends it in %s', (_name, events) => {
    const { sent, stream } = play([...events, DONE], { includeUsage: true });
    expect(sent.at(-1)).toMatchObject({ choices: [], usage: USAGE, model: 'vm' });
    expect(sent.slice(0, -1).every((each) => each.choices.length === 1 && (each.usage ?? null) === null)).toBe(true);
    expect(stream.usage).toMatchObject({ promptTokens: 3, completionTokens: 2, totalTokens: 5 });
  });

  test.each([
    [[role, content('x'), fin, usageChunk]],
    [[role, running, inLastChunk]],
    [[role, chunk({ delta: { content: 'x' } }, { usage: null }), fin]],
  ])('T78: not asked for, no usage key reaches the client', (events) => {
    const { texts, stream } = play(events);
    expect(texts.some((text) => text.includes('"usage"'))).toBe(false);
    expect(stream.given).toBe(true);
  });

  test('D18: a backend that sends none gets none made up', () => {
    const { sent, stream } = play([role, content('x'), fin], { includeUsage: true });
    expect(sent).toHaveLength(3);
    expect(stream.usage).toBeNull();
  });
});

describe('tool calls', () => {
  const call = (fields: Fields) => chunk({ delta: { tool_calls: [fields] } });

  test('D19: deltas without an index are numbered', () => {
    const { sent } = play([
      role,
      call({ id: 'a', function: { name: 'f', arguments: '' } }),
      call({ function: { arguments: '1' } }),
      call({ id: 'b', function: { name: 'g', arguments: '2' } }),
      fin,
    ]);
    const deltas = sent.slice(1, 4).map(({ choices }) => choices[0]?.delta?.tool_calls?.[0]);
    expect(deltas.map((delta) => delta?.index)).toEqual([0, 0, 1]);
  });
});

describe('completions', () => {
  const text = (value: string, finish: string | null = null) =>
    JSON.stringify({
      id: 'x',
      object: 'text_completion',
      model: 'up',
      choices: [{ index: 0, text: value, finish_reason: finish }],
    });

  test('K: text is content, and no role is added', () => {
    const { sent, stream, failure } = play([text(''), text('ab'), text('c', 'stop')], { operation: 'completions' });
    expect(failure).toBeNull();
    expect(sent[1]?.choices[0]).toEqual({ index: 0, text: 'ab', finish_reason: null });
    expect(JSON.parse(stream.assemble())).toMatchObject({
      object: 'text_completion',
      model: 'vm',
      choices: [{ text: 'abc', finish_reason: 'stop' }],
    });
  });
});
