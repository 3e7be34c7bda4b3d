/** The Message object and its ends. Source: Anthropic Messages API reference. */
import { readUsage } from '../usage';

export type Block = Record<string, unknown>;

export interface MessageUsage {
  /** Without what was read from a cache. */
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export interface MessageObject {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: MessageUsage;
}

export const NO_USAGE: MessageUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

export function messageIdOf(taskId: string): string {
  return `msg_${taskId.replace(/^task_/, '').replaceAll('-', '')}`;
}

/** Null: the backend reported none. */
export function messageUsage(reported: unknown): MessageUsage | null {
  const usage = readUsage(reported);
  if (!usage) return null;
  const cached = usage.cachedTokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage.promptTokens ?? 0) - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage.completionTokens ?? 0,
  };
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export function stopReasonOf(finishReason: string | null): string {
  return (finishReason === null ? undefined : STOP_REASONS[finishReason]) ?? 'end_turn';
}
