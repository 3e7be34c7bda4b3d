/**
 * A stored response as it stands, from its task (contract 5).
 *
 * | task               | response                                                     |
 * |--------------------|--------------------------------------------------------------|
 * | completed          | the stored answer, as it was given                           |
 * | queued, deferred   | `queued`                                                     |
 * | running            | `in_progress`                                                |
 * | failed             | `failed`, the error, and what had been given of the output   |
 * | cancelled          | `cancelled`, and what had been given of the output           |
 */
import type { RequestFacts } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import type { TaskState } from '../vocabulary';
import { failedResponse, responseError, type WordedError } from './failed-response';
import { emptyResponse, type ResponseObject, type ResponseStatus } from './response-object';

const STATUSES: Readonly<Record<TaskState, ResponseStatus>> = {
  queued: 'queued',
  deferred: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

export interface TaskEnd {
  readonly state: TaskState;
  /** The stored answer's JSON, whole or in part; null: there is none. */
  readonly answer: string | null;
  /** Why it failed. */
  readonly error: WordedError;
}

export function storedResponse(facts: RequestFacts, { state, answer, error }: TaskEnd): ResponseObject {
  const given = answer === null ? null : (JSON.parse(answer) as ResponseObject);
  if (state === 'completed' && given) return given;
  const output = Array.isArray(given?.output) ? given.output.filter(isRecord) : [];
  const response = { ...emptyResponse(facts, STATUSES[state]), output, usage: given?.['usage'] ?? null };
  return state === 'failed' ? failedResponse(response, responseError(error)) : response;
}
