import type { Readable } from 'node:stream';
import { StreamSink } from './stream-sink';

const failure = { code: 'bad_upstream_response', message: 'The backend hung up.' } as const;
const servedBy = { modelId: 'm1', pluginId: 'p1' };

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

/** Each write as one string, as the socket gets them. */
function writes(body: Readable): string[] {
  const seen: string[] = [];
  body.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
  return seen;
}

const flushed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('K: headers go out with the first event and name the model that serves', async () => {
  const sink = new StreamSink(15_000);
  sink.begin(servedBy);
  void sink.event('{"a":1}', null);
  expect(await sink.head).toEqual({ kind: 'open', servedBy });
  sink.endStream();
});

test('T10: each event is one write, [DONE] is the last', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  for (const data of ['1', '2', '3']) void sink.event(data, null);
  sink.endStream();
  await flushed();
  expect(seen).toEqual(['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n', 'data: [DONE]\n\n']);
});

test('K: a failure before anything was sent keeps its true status', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  sink.fail(failure);
  expect(await sink.head).toEqual({ kind: 'failed', failure });
  await flushed();
  expect(seen).toEqual([]);
});

test('K: a later failure is an event in OpenAI’s shape, without [DONE]', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  void sink.event('1', null);
  sink.fail(failure);
  await flushed();
  expect(seen).toHaveLength(2);
  const event: unknown = JSON.parse(seen[1]!.replace(/^data: /, ''));
  expect(event).toEqual({
    error: { message: failure.message, type: 'upstream_error', param: null, code: failure.code },
  });
});

test("A4, K: at the ready queue's door headers wait as long as it takes, so that queue_full keeps its status", async () => {
  const sink = new StreamSink(15_000);
  jest.advanceTimersByTime(60_000);
  const full = { code: 'queue_full', message: 'The queue is full.' };
  sink.fail(full);
  expect(await sink.head).toEqual({ kind: 'failed', failure: full });
});

test('K: 10 s past the door without an event headers go out with a comment', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  jest.advanceTimersByTime(5_000);
  sink.admitted();
  jest.advanceTimersByTime(9_999);
  await flushed();
  expect(seen).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(await sink.head).toEqual({ kind: 'open', servedBy: null });
  await flushed();
  expect(seen).toEqual([': keep-alive\n']);
  sink.abandon();
});

test('T08: comments fill silence only', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  void sink.event('1', null);
  jest.advanceTimersByTime(14_000);
  void sink.event('2', null);
  jest.advanceTimersByTime(14_999);
  await flushed();
  expect(seen).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  jest.advanceTimersByTime(1);
  await flushed();
  expect(seen.at(-1)).toBe(': keep-alive\n');
  sink.abandon();
});

test('S28: line breaks in a backend’s text can not make events of their own', async () => {
  const sink = new StreamSink(15_000);
  const seen = writes(sink.body);
  void sink.event('{"a":"x"}\n\ndata: [DONE]', null);
  sink.abandon();
  await flushed();
  expect(seen[0]).toBe('data: {"a":"x"}\ndata: \ndata: data: [DONE]\n\n');
});

test('E4: a client that does not read holds the next event back', async () => {
  const sink = new StreamSink(15_000);
  let taken = 0;
  const text = 'x'.repeat(20_000);
  const writing = (async () => {
    for (let n = 0; n < 10; n++) {
      await sink.event(text, null);
      taken = n + 1;
    }
  })();
  await flushed();
  expect(taken).toBeLessThan(5);
  sink.body.resume();
  await writing;
  expect(taken).toBe(10);
  sink.endStream();
});

test('A10: a client that goes frees whoever waits for it', async () => {
  const sink = new StreamSink(15_000);
  const writing = sink.event('x'.repeat(100_000), null);
  sink.body.destroy();
  await writing;
  await sink.event('y', null);
});
