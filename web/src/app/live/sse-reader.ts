import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface ReadOptions {
  /** Silence longer than this ends the stream as dead: half-open connections never close by themselves. */
  idleMs: number;
}

/** No bytes, not even a keep-alive comment, for too long. */
export class StreamIdle extends Error {
  override readonly name = 'StreamIdle';
}

/** One event may hold a whole task; beyond this the peer is broken. Characters. */
const maxEventSize = 8 * 1024 * 1024;

/**
 * Server-sent events of a response body, in order. Bytes may be cut anywhere, inside a character
 * too (T01, T02); CR, LF and CRLF all end a line (T04). Leaving the loop closes the connection.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<EventSourceMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let events: EventSourceMessage[] = [];
  const failures: Error[] = [];
  const parser = createParser({
    maxBufferSize: maxEventSize,
    onEvent: (event) => events.push(event),
    // Unknown fields and odd retry values are to be ignored; only an endless event is fatal.
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') failures.push(error);
    },
  });
  try {
    for (;;) {
      const { done, value } = await withinIdle(reader.read(), options.idleMs);
      parser.feed(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      yield* events;
      if (failures[0]) throw failures[0];
      if (done) return;
      events = [];
    }
  } finally {
    // Not awaited: a body that has already failed rejects here, and that failure was reported.
    reader.cancel().catch(() => undefined);
  }
}

function withinIdle<T>(read: Promise<T>, idleMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StreamIdle(`Nothing was received for ${Math.round(idleMs / 1000)} s.`)),
      idleMs,
    );
  });
  return Promise.race([read, silence]).finally(() => clearTimeout(timer));
}
