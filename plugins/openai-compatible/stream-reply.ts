import { UpstreamFailure, type AdapterReply, type StreamEvent } from '../adapter';
import type { Redact } from '../redact';
import { readEvents } from '../sse/read-events';
import type { Answer } from './exchange';
import { jsonReply, mediaType } from './json-reply';

/** What a chunked body needs to end after its last event. */
const TAIL = { bytes: 1024, ms: 1000 };

/**
 * The answer to a request for a stream. A backend that can't stream answers with the whole JSON
 * object: that is handed on as `json`, while an error in it is a failure like any other (D16).
 */
export async function streamReply(answer: Answer, limit: number, redact: Redact): Promise<AdapterReply> {
  const type = mediaType(answer);
  if (type === 'text/event-stream' || type === '') return { kind: 'stream', events: events(answer) };
  if (type === 'application/json' || type.endsWith('+json')) return jsonReply(answer, limit, redact);
  answer.close();
  throw new UpstreamFailure('malformed', `The backend answered with ${type} instead of an event stream.`);
}

/**
 * An iterator of its own because a generator that was never begun ignores `return()`, and the
 * socket would stay open.
 */
function events(answer: Answer): AsyncIterable<StreamEvent> {
  const reading = readEvents(answer.read());
  let done = false;
  const iterator: AsyncIterator<StreamEvent> = {
    async next() {
      const result = await reading.next();
      if (result.done !== true && result.value.data === '[DONE]') done = true;
      return result;
    },
    async return() {
      if (done) answer.finish(TAIL.bytes, TAIL.ms);
      else answer.close();
      await reading.return();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
