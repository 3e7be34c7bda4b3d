import type { GenerationEnd } from './llama-api';

/** How a generation's result leaves the worker, event by event or whole. */
export interface Reply {
  readonly stream: boolean;
  /** One JSON event of a stream. */
  event(value: unknown): void;
}

/** A generation's outcome: a whole body, or null when it was streamed. */
export type Outcome = string | null;

export interface TokenCounts {
  readonly prompt: number;
  readonly completion: number;
}

export function usageOf({ prompt, completion }: TokenCounts): Record<string, number> {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

export function finishReason({ metadata }: GenerationEnd): 'stop' | 'length' {
  return metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
}

/** `created` of every OpenAI object: seconds. */
export function createdNow(): number {
  return Math.floor(Date.now() / 1000);
}
