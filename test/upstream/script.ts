import type { Exchange } from './exchange';
import { RequestLog } from './request-log';

/** Answers one request. */
export type Answer = (exchange: Exchange) => Promise<void>;

/** How one model (or the model list) answers, and what it was asked. */
export class Script extends RequestLog {
  #queue: Answer[] = [];
  #always: Answer | null = null;

  /** The next requests get these, one each; later ones get what `always` said, or the default. */
  answers(...answers: readonly Answer[]): this {
    this.#queue = [...answers];
    return this;
  }

  always(answer: Answer | null): this {
    this.#queue = [];
    this.#always = answer;
    return this;
  }

  next(): Answer | null {
    return this.#queue.shift() ?? this.#always;
  }
}
