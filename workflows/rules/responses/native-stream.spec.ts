import type { RequestFacts } from '../dialects/client-dialect';
import { NativeResponses } from './native-answer';
import { nativeRequest } from './native-request';
import { NativeResponseStream } from './native-stream';

const facts: RequestFacts = {
  taskId: 'task_01890000-0000-7000-8000-000000000001',
  clientModel: 'team',
  acceptedAt: 1_800_000_000_000,
  background: false,
  body: { model: 'team', input: 'x', metadata: { k: 'v' }, previous_response_id: 'resp_0' },
  eventsBefore: 0,
};

type Event = Record<string, unknown> & { type: string };

const item = { id: 'msg_up', type: 'message', role: 'assistant', status: 'in_progress', content: [] as object[] };
const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
const at = { item_id: 'msg_up', output_index: 0, content_index: 0 };
const upstream = {
  id: 'resp_up',
  object: 'response',
  model: 'real-model',
  output: [] as object[],
  status: 'in_progress',
};
const whole = { ...item, status: 'completed', content: [{ ...part, text: 'hi' }] };

const PREAMBLE: Event[] = [
  { type: 'response.created', response: upstream },
  { type: 'response.in_progress', response: upstream },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.content_part.added', ...at, part },
];
const CONTENT: Event[] = [
  { type: 'response.output_text.delta', ...at, delta: 'hi', logprobs: [] },
  { type: 'response.output_text.done', ...at, text: 'hi', logprobs: [] },
  { type: 'response.content_part.done', ...at, part: { ...part, text: 'hi' } },
  { type: 'response.output_item.done', output_index: 0, item: whole },
];
const END: Event = {
  type: 'response.completed',
  response: { ...upstream, status: 'completed', output: [whole], usage: { input_tokens: 1, output_tokens: 2 } },
};

function run(events: readonly (Event | string)[], over: Partial<RequestFacts> = {}) {
  const stream = new NativeResponseStream({ ...facts, ...over });
  const steps = events.map((event, n) =>
    stream.step(typeof event === 'string' ? event : JSON.stringify({ ...event, sequence_number: 100 + n })),
  );
  const failure = steps.find((step) => step.failure)?.failure ?? null;
  const given = steps.map((step) => step.forward.length);
  const end = failure ? null : stream.finish(1_800_000_003_000);
  const forward = [...steps, ...(end ? [end] : [])].flatMap((step) => step.forward);
  const told = forward.map(({ event, data }): Event => ({ event, ...(JSON.parse(data) as Event) }));
  return { stream, given, told, failure: failure ?? end?.failure ?? null };
}

test('T82: names, ids and numbers are ours in every event and in the stored object', () => {
  const { told, stream, failure } = run([...PREAMBLE, ...CONTENT, END]);
  expect(failure).toBeNull();
  expect(told.map((event) => event['sequence_number'])).toEqual(told.map((_, n) => n));
  expect(told.map((each) => each['event'])).toEqual(told.map(({ type }) => type));
  expect(JSON.stringify(told)).not.toMatch(/real-model|_up"/);
  const stored = JSON.parse(stream.assemble()) as Event;
  expect(stored).toMatchObject({
    id: 'resp_01890000000070008000000000000001',
    model: 'team',
    status: 'completed',
    completed_at: 1_800_000_003,
    metadata: { k: 'v' },
    previous_response_id: 'resp_0',
    store: true,
    usage: { total_tokens: 3, output_tokens_details: { reasoning_tokens: 0 } },
    output: [{ id: 'msg_018900000000700080000000000000010000', content: [{ text: 'hi' }] }],
  });
  expect(told.at(-1)?.['response']).toEqual(stored);
  expect(stream.usage).toMatchObject({ promptTokens: 1, completionTokens: 2 });
});

test('K: nothing is given before the first content, then all of it in order', () => {
  const { given, stream } = run([...PREAMBLE, ...CONTENT, END]);
  expect(given.slice(0, PREAMBLE.length + 1)).toEqual([0, 0, 0, 0, 5]);
  expect(stream.given).toBe(true);
});

test('K: a preamble without end is given once 64 events are held', () => {
  const { given } = run(Array.from({ length: 70 }, () => PREAMBLE[3]!));
  expect(given.findIndex((count) => count > 0)).toBe(63);
});

test('K: a failure before any content has given nothing', () => {
  const failed = {
    type: 'response.failed',
    response: { ...upstream, error: { code: 'rate_limit_exceeded', message: 'slow' } },
  };
  const { told, failure, stream } = run([...PREAMBLE, failed]);
  expect(told).toEqual([]);
  expect(stream.given).toBe(false);
  expect(failure).toMatchObject({ kind: 'status', status: 429, message: 'slow' });
});

test.each([
  ['flat', { type: 'error', code: 'server_error', message: 'boom' }],
  ['nested', { type: 'error', error: { code: 'server_error', message: 'boom' } }],
  ['unnamed', { error: { code: 'server_error', message: 'boom' } } as unknown as Event],
])('contract 5: an error event, %s, is a failure', (_what, event) => {
  expect(run([...PREAMBLE, ...CONTENT.slice(0, 1), event]).failure).toMatchObject({ status: 500, message: 'boom' });
});

test('T23: a stream that ends before its response is complete is truncated, and keeps what there was', () => {
  const { failure, stream } = run([...PREAMBLE, ...CONTENT.slice(0, 1)]);
  expect(failure).toMatchObject({ kind: 'malformed' });
  expect(JSON.parse(stream.assemble())).toMatchObject({
    status: 'in_progress',
    output: [{ content: [{ text: 'hi' }] }],
  });
});

test('contract 5: vendor events are dropped, broken lines are dropped and counted', () => {
  const { told, stream } = run([...PREAMBLE, { type: 'acme:trace' }, 'nonsense', '[1]', ...CONTENT, END, '[DONE]']);
  expect(told).toHaveLength(9);
  expect(stream.badLines).toBe(2);
});

test('K: a background response was announced before', () => {
  const { told } = run([...PREAMBLE, ...CONTENT, END], { background: true, eventsBefore: 2 });
  expect(told[0]).toMatchObject({ type: 'response.in_progress', sequence_number: 2 });
});

test('T82: a plain answer gets the same names and every key', () => {
  const answers = new NativeResponses(facts);
  const read = answers.read(JSON.stringify(END['response']), 1_800_000_003_000);
  expect(read.kind === 'answer' && JSON.parse(read.text)).toMatchObject({
    id: 'resp_01890000000070008000000000000001',
    model: 'team',
    truncation: 'disabled',
    completed_at: 1_800_000_003,
    output: [{ id: 'msg_018900000000700080000000000000010000' }],
  });
  expect(answers.read(JSON.stringify({ ...upstream, error: { code: 'server_error', message: 'no' } }), 0).kind).toBe(
    'failure',
  );
  expect(answers.read(JSON.stringify({ ...upstream, status: 'failed' }), 0).kind).toBe('failure');
});

test('T92: the backend gets one whole request, unstored, without ids it never gave out', () => {
  const input = [
    { type: 'message', id: 'msg_1', status: 'completed', role: 'user', content: 'a' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'x' },
  ];
  expect(nativeRequest({ model: 'm', input, background: true, previous_response_id: 'resp_0', x_vendor: 1 })).toEqual({
    model: 'm',
    input: [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'reasoning', summary: [], encrypted_content: 'x' },
    ],
    x_vendor: 1,
    store: false,
  });
});
