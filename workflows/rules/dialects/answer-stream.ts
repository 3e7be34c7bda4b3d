/**
 * What every stream of an answer is to the caller, whatever the backend and the client speak
 * (spec K "Given anything"). Implementations change by `step` and `finish` alone and do no I/O.
 */
import type { DescribedFailure } from '../failed-answer';
import type { Usage } from '../usage';

/** One SSE event for the client. */
export interface ServerEvent {
  /** The `event:` field; null: the protocol has none. */
  readonly event: string | null;
  readonly data: string;
}

export interface AnswerStep {
  /** To be given to the client now, in order. */
  readonly forward: readonly ServerEvent[];
  readonly failure: DescribedFailure | null;
  /** True when the answer is over: call `finish` and read no further. */
  readonly done: boolean;
}

export interface AnswerStream {
  /** True once the client has been given part of the answer: no failover after that. */
  readonly given: boolean;
  /** Lines dropped because they were not what they should be (T16). */
  readonly badLines: number;
  readonly usage: Usage | null;
  /** One event of the backend. */
  step(data: string): AnswerStep;
  /** The backend's stream has ended. `at`: milliseconds since the epoch. */
  finish(at: number): AnswerStep;
  /** The answer so far as the plain answer's JSON, to be stored. */
  assemble(): string;
}
