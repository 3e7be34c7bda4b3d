import { createParser } from 'eventsource-parser';
import { UpstreamFailure, type StreamEvent } from '../adapter';

/** Spec K. In UTF-16 code units, since what the cap protects is the memory of the decoded text. */
export const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** Room for a field's name beside a payload of exactly the cap. */
const FIELD_NAME_ROOM = 1024;

/**
 * Reads server-sent events from bytes cut anywhere (T01, T02, T04, T05; spec K).
 *
 * The parser keeps partial lines as fragments and joins them once, so tiny reads stay linear. It
 * throws away lines that are no SSE field, so an endless comment or HTML page needs no memory.
 *
 * At the end of input a last event without its blank line is given only when it is whole: `[DONE]`
 * or a JSON object. Backends do leave that line out, while a cut event must not pass for a
 * complete one; an object's closing brace proves it (T23). The WHATWG rule drops both.
 *
 * @throws UpstreamFailure of kind `oversized`; events that came before it are given first.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  maxLineLength: number = MAX_LINE_LENGTH,
): AsyncGenerator<StreamEvent, void, undefined> {
  // The parser strips the byte order mark itself; two strips would eat a U+FEFF that is data.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let ready: StreamEvent[] = [];
  let oversized = false;
  let ended = false;
  const parser = createParser({
    maxBufferSize: maxLineLength + FIELD_NAME_ROOM,
    onEvent({ event, data }) {
      // The buffer limit sees only what waits between two reads; this makes the cap the same for every split.
      if (data.length > maxLineLength) oversized = true;
      if (oversized || (ended && !isWhole(data))) return;
      ready.push({ event: event ?? null, data });
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') oversized = true;
    },
  });

  function take(): StreamEvent[] {
    const taken = ready;
    ready = [];
    return taken;
  }

  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (ready.length > 0) yield* take();
    if (oversized) throw tooLong(maxLineLength);
  }
  ended = true;
  parser.feed(`${decoder.decode()}\n\n`);
  yield* take();
  if (oversized) throw tooLong(maxLineLength);
}

function isWhole(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

function tooLong(maxLineLength: number): UpstreamFailure {
  return new UpstreamFailure('oversized', `The backend sent a stream event longer than ${maxLineLength} characters.`);
}
