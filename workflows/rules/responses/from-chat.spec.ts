import fc from 'fast-check';
import { chunksOf } from '../chat-assembly';
import { ChatStream } from '../chat-stream';
import type { ServerEvent } from '../dialects/answer-stream';
import type { RequestFacts } from '../dialects/client-dialect';
import { PipedStream } from '../dialects/piped-stream';
import { ResponseFromChat } from './from-chat';
import { replayResponse } from './replay';
import type { ResponseObject } from './response-object';
import { ResponseSnapshot } from './snapshot';

const AT = 1_800_000_000_000;
const facts: RequestFacts = {
  taskId: 'task_01890000-0000-7000-8000-000000000001',
  clientModel: 'team',
  acceptedAt: AT,
  background: false,
  body: { model: 'team', input: 'x' },
  eventsBefore: 0,
};

type Event = Record<string, unknown> & { type: string };
const parsed = (events: readonly ServerEvent[]): Event[] => events.map(({ data }) => JSON.parse(data) as Event);

interface Answer {
  readonly events: readonly Event[];
  readonly object: ResponseObject;
}

/** What a client gets of these chunks. */
function answerTo(chunks: readonly string[], over: Partial<RequestFacts> = {}): Answer {
  const translator = new ResponseFromChat({ ...facts, ...over });
  const stream = new PipedStream(
    new ChatStream({ operation: 'chat', clientModel: 'team', includeUsage: true }),
    null,
    translator,
  );
  const events = chunks.flatMap((chunk) => stream.step(chunk).forward);
  const end = stream.finish(AT + 5_000);
  expect(end.failure).toBeNull();
  const all = parsed([...events, ...end.forward]);
  expect(all.map(({ sequence_number: number }) => number)).toEqual(all.map((_, i) => i + (over.eventsBefore ?? 0)));
  return { events: all, object: JSON.parse(stream.assemble()) as ResponseObject };
}

const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
const call = (index: number, fields: object, id?: string) => ({
  tool_calls: [{ index, ...(id === undefined ? {} : { id, type: 'function' }), function: fields }],
});
const types = ({ events }: Answer): string[] => events.map(({ type }) => type.replace('response.', ''));

/** One text cut at random places. */
const cut = (text: string, random: readonly number[]): string[] => {
  const places = [...new Set(random.map((part) => Math.floor(part * (text.length + 1))))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => text.slice(from, places[i] ?? text.length));
};
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value }));

interface Spoken {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { name: string; args: string }[];
  readonly finish: string;
}
const spoken: fc.Arbitrary<Spoken> = fc.record({
  reasoning: fc.string({ unit: 'binary' }),
  content: fc.string({ unit: 'binary', minLength: 1 }),
  calls: fc.array(fc.record({ name: fc.string({ minLength: 1, maxLength: 8 }), args: json }), { maxLength: 3 }),
  finish: fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
});

/** The chunks of an answer, each text cut anew. */
function chunksFor({ reasoning, content, calls, finish }: Spoken, at: readonly number[]): string[] {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...cut(reasoning, at).map((text) => chunk({ reasoning_content: text })),
    ...cut(content, at).map((text) => chunk({ content: text })),
    ...calls.flatMap(({ name, args }, index) => [
      chunk(call(index, { name, arguments: '' }, `call_${index}`)),
      ...cut(args, at).map((text) => chunk(call(index, { arguments: text }))),
    ]),
    chunk({}, finish),
    JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
  ];
}

test('T90: however the backend cuts its texts, the response is the same', () => {
  fc.assert(
    fc.property(spoken, cuts, cuts, (answer, one, other) => {
      expect(answerTo(chunksFor(answer, one)).object).toEqual(answerTo(chunksFor(answer, other)).object);
    }),
  );
});

test('contract 5: the events of a stream add up to the stored object, at the end and anywhere before', () => {
  fc.assert(
    fc.property(spoken, cuts, (answer, at) => {
      const { events, object } = answerTo(chunksFor(answer, at));
      const whole = new ResponseSnapshot();
      for (const event of events) whole.add(event);
      expect(whole.current).toEqual(object);
      const early = new ResponseSnapshot();
      for (const event of events.slice(0, -1)) early.add(event);
      expect(early.current?.output).toEqual(object.output);
    }),
  );
});

test('I: a plain answer and its stream make the same response', () => {
  fc.assert(
    fc.property(spoken, cuts, (answer, at) => {
      const chat = new ChatStream({ operation: 'chat', clientModel: 'team', includeUsage: true });
      for (const each of chunksFor(answer, at)) chat.step(each);
      expect(answerTo(chunksOf(chat.assemble(), true)).object).toEqual(answerTo(chunksFor(answer, at)).object);
    }),
  );
});

test('K: a stored response replayed adds up to itself', () => {
  fc.assert(
    fc.property(spoken, cuts, (answer, at) => {
      const { object } = answerTo(chunksFor(answer, at));
      const replayed = new ResponseSnapshot();
      for (const event of parsed(replayResponse(object, 0)).slice(0, -1)) replayed.add(event);
      expect(replayed.current?.output).toEqual(object.output);
      expect(parsed(replayResponse(object, 0)).at(-1)).toMatchObject({ response: object });
    }),
  );
});

test('contract 5: every item is added, filled and done, in that order and once', () => {
  fc.assert(
    fc.property(spoken, cuts, (answer, at) => {
      const { events, object } = answerTo(chunksFor(answer, at));
      object.output.forEach(({ id }, index) => {
        const own = events.filter((event) => event['output_index'] === index);
        expect(own[0]).toMatchObject({ type: 'response.output_item.added', item: { id } });
        expect(own.at(-1)).toMatchObject({ type: 'response.output_item.done', item: { id } });
        expect(own.slice(1, -1).every((event) => event['item_id'] === id)).toBe(true);
        expect(own.filter(({ type }) => type.startsWith('response.output_item'))).toHaveLength(2);
      });
    }),
  );
});

test('T76: calls without ids on their later deltas, numbered 0 every time or interleaved', () => {
  const interleaved = answerTo([
    chunk(call(0, { name: 'f', arguments: '{"a"' }, 'call_a')),
    chunk(call(1, { name: 'g', arguments: '{"b"' }, 'call_b')),
    chunk(call(0, { arguments: ':1}' })),
    chunk(call(1, { arguments: ':2}' })),
    chunk({}, 'tool_calls'),
  ]);
  expect(interleaved.object.output).toMatchObject([
    { type: 'function_call', call_id: 'call_a', name: 'f', arguments: '{"a":1}', status: 'completed' },
    { type: 'function_call', call_id: 'call_b', name: 'g', arguments: '{"b":2}' },
  ]);
  const alike = answerTo([
    chunk(call(0, { name: 'f', arguments: '{}' }, 'same')),
    chunk(call(1, { name: 'f', arguments: '{}' }, 'same')),
    chunk({}, 'tool_calls'),
  ]);
  const ids = alike.object.output.map((item) => item['call_id']);
  expect(new Set(ids).size).toBe(2);
  expect(types(alike)).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
});

test('I: a call whose name comes late, and one that never gets an id', () => {
  const { object } = answerTo([
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { name: 'late', arguments: '1}' } }] }),
    chunk({}, 'tool_calls'),
  ]);
  expect(object.output).toMatchObject([
    { name: 'late', arguments: '{"a":1}', call_id: expect.stringMatching(/^call_.+/) },
  ]);
});

test('I: text after calls is a message of its own; refusals are parts', () => {
  const answer = answerTo([
    chunk({ content: 'before' }),
    chunk(call(0, { name: 'f', arguments: '{}' }, 'a')),
    chunk({ content: 'after' }),
    chunk({ refusal: 'no' }),
    chunk({}, 'stop'),
  ]);
  expect(answer.object.output).toMatchObject([
    { type: 'message', content: [{ type: 'output_text', text: 'before', annotations: [] }] },
    { type: 'function_call' },
    { type: 'message', content: [{ text: 'after' }, { type: 'refusal', refusal: 'no' }] },
  ]);
});

test.each([
  ['stop', { status: 'completed', completed_at: AT / 1_000 + 5, incomplete_details: null }],
  ['length', { status: 'incomplete', completed_at: null, incomplete_details: { reason: 'max_output_tokens' } }],
  ['content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
])('contract 5: finish reason %s', (finish, expected) => {
  const { events, object } = answerTo([chunk({ content: 'x' }), chunk({}, finish)]);
  expect(object).toMatchObject({ ...expected, model: 'team', output: [{ status: expected.status }] });
  expect(events.at(-1)?.type).toBe(`response.${expected.status}`);
});

test('contract 5: usage with its details, and the probabilities of the tokens', () => {
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 7,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const logprobs = { content: [{ token: 'x', logprob: -0.1, bytes: [120], top_logprobs: [] }] };
  const { object, events } = answerTo([
    JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, logprobs, finish_reason: 'stop' }] }),
    JSON.stringify({ choices: [], usage }),
  ]);
  expect(object['usage']).toEqual({
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 12,
  });
  expect(object.output).toMatchObject([{ content: [{ logprobs: logprobs.content }] }]);
  expect(events.find(({ type }) => type === 'response.output_text.delta')?.['logprobs']).toEqual(logprobs.content);
});

test('I: citations of a text are its annotations, and are replayed with it', () => {
  const cited = { type: 'url_citation', url: 'https://example.org/', title: 't', start_index: 0, end_index: 1 };
  const { type, ...inner } = cited;
  const { object, events } = answerTo([
    chunk({ content: 'x' }),
    chunk({ annotations: [{ type, url_citation: inner }] }),
    chunk({}, 'stop'),
  ]);
  expect(object.output).toMatchObject([{ content: [{ text: 'x', annotations: [cited] }] }]);
  const added = (all: readonly Event[]) => all.filter((event) => event.type.endsWith('annotation.added'));
  expect(added(events)).toMatchObject([{ annotation_index: 0, annotation: cited }]);
  expect(added(parsed(replayResponse(object, 0)))).toHaveLength(1);
});

test('K: a background response was announced before: its stream goes on with in_progress', () => {
  const answer = answerTo([chunk({ content: 'x' }), chunk({}, 'stop')], { background: true, eventsBefore: 2 });
  expect(types(answer)[0]).toBe('in_progress');
  expect(answer.object).toMatchObject({ background: true });
});

test('S34: a body with __proto__ in it stays data', () => {
  const body = JSON.parse('{"model":"team","input":"x","metadata":{"__proto__":"y"},"__proto__":{"z":1}}') as object;
  const { object } = answerTo([chunk({ content: 'x' }), chunk({}, 'stop')], { body: { ...body } });
  expect(JSON.stringify(object['metadata'])).toBe('{"__proto__":"y"}');
  expect(({} as Record<string, unknown>)['z']).toBeUndefined();
});
