/**
 * How a response fails (contract 1, 5): its object, and the last events of its stream. Codes are those of
 * the API's `ResponseErrorCode`; the event's fields are flat as the schema has them and nested under
 * `error` as well, since each SDK looks at one of the two.
 */
import type { ServerEvent } from '../dialects/answer-stream';
import { EventWriter } from './event-writer';
import type { ResponseError, ResponseObject } from './response-object';

/** An error as OpenAI's envelope words it. */
export interface WordedError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export function responseError(error: WordedError): ResponseError {
  return { code: responseErrorCode(error), message: error.message };
}

export function failedResponse(response: ResponseObject, error: ResponseError): ResponseObject {
  return { ...response, status: 'failed', error, completed_at: null };
}

/** `response` as far as it had come; `next`: the sequence number of the first of these events. */
export function failureEvents(response: ResponseObject, error: WordedError, next: number): readonly ServerEvent[] {
  const events = new EventWriter(next);
  if (next === 0) events.write('response.created', { response: { ...response, status: 'in_progress', error: null } });
  const { code, message } = responseError(error);
  const { type, param } = error;
  events.write('error', { code, message, param, error: { type, code, message, param } });
  events.write('response.failed', { response: failedResponse(response, { code, message }) });
  return events.take();
}

/** The stream breaks off, though the response may go on: an `error` event alone. */
export function interruption(error: WordedError, sequence: number): ServerEvent {
  const events = new EventWriter(sequence);
  const { message, type, param, code } = error;
  events.write('error', { code, message, param, error: { type, code, message, param } });
  return events.take()[0]!;
}

function responseErrorCode({ type, code }: WordedError): string {
  if (type === 'rate_limit_error' || code === 'rate_limit_exceeded') return 'rate_limit_exceeded';
  const rejected = type === 'invalid_request_error' || code === 'upstream_rejected';
  return rejected ? 'invalid_prompt' : 'server_error';
}
