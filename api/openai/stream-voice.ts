/** How one client protocol words the end and the failure of a stream. */
import type { ServerEvent } from '../../workflows/rules/dialects/answer-stream';
import type { OpenAiError } from '../errors/render';

export interface StreamVoice {
  /** Told of every event's data before the client gets it. */
  note(data: string): void;
  /** What follows the last event of a whole answer. */
  end(): readonly ServerEvent[];
  /** The events of a failure in mid-stream. */
  fail(error: OpenAiError['error']): readonly ServerEvent[];
}

export const DONE: ServerEvent = { event: null, data: '[DONE]' };

/** Chat and text completions: one error event, and no `[DONE]` after it (contract 4). */
export const chatVoice: StreamVoice = {
  note: () => undefined,
  end: () => [DONE],
  fail: (error) => [{ event: null, data: JSON.stringify({ error }) }],
};
