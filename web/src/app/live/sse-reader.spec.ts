import { FeedableBody } from '../../testing/fake-server';
import { readEvents, StreamIdle } from './sse-reader';

const idleMs = 60_000;

/** The events of bytes that arrive in the given pieces. */
async function eventsOf(pieces: Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const data: string[] = [];
  for await (const event of readEvents(stream, { idleMs })) data.push(event.data);
  return data;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readEvents', () => {
  test('T01: an event sent one byte at a time keeps its characters', async () => {
    const whole = bytes('data: 안녕하세요🦀\n\n');
    await expect(eventsOf([...whole].map((byte) => Uint8Array.of(byte)))).resolves.toEqual(['안녕하세요🦀']);
  });

  test('T02: an event cut at any offset arrives once', async () => {
    const whole = bytes('data: {"a":"é"}\n\n');
    for (let cut = 0; cut <= whole.length; cut += 1) {
      await expect(eventsOf([whole.slice(0, cut), whole.slice(cut)])).resolves.toEqual(['{"a":"é"}']);
    }
  });

  test('T04: CR and CRLF end lines as LF does', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      await expect(eventsOf([bytes(`data: one${end}${end}data: two${end}${end}`)])).resolves.toEqual(['one', 'two']);
    }
  });

  test('T05: the blank after the colon may be missing', async () => {
    await expect(eventsOf([bytes('data:{"a":1}\n\ndata:[DONE]\n\n')])).resolves.toEqual(['{"a":1}', '[DONE]']);
  });

  test('T07: comments are no events', async () => {
    await expect(eventsOf([bytes(': keep-alive\n\n: keep-alive\ndata: x\n\n')])).resolves.toEqual(['x']);
  });

  test('an event that was not finished is not delivered', async () => {
    await expect(eventsOf([bytes('data: whole\n\ndata: half')])).resolves.toEqual(['whole']);
  });

  test('an event without an end is given up rather than kept in memory', async () => {
    const endless = [bytes(`data: ${'x'.repeat(5 * 1024 * 1024)}`), bytes('x'.repeat(5 * 1024 * 1024))];
    await expect(eventsOf(endless)).rejects.toThrow(/buffer/i);
  });

  test('leaving the loop closes the connection', async () => {
    const body = new FeedableBody();
    body.feed('data: one\n\n');
    for await (const event of readEvents(body.stream, { idleMs })) {
      expect(event.data).toBe('one');
      break;
    }
    expect(body.cancelled).toBe(true);
  });

  test('silence longer than allowed ends a half-open stream, a comment keeps it', async () => {
    jest.useFakeTimers();
    try {
      const body = new FeedableBody();
      const reading = readEvents(body.stream, { idleMs: 1_000 }).next();
      const outcome = reading.catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(900);
      body.feed(': still here\n');
      await jest.advanceTimersByTimeAsync(900);
      expect(body.cancelled).toBe(false);
      await jest.advanceTimersByTimeAsync(200);
      expect(await outcome).toBeInstanceOf(StreamIdle);
      expect(body.cancelled).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });
});
