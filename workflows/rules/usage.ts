/**
 * Token counts as backends report them (fault D18).
 *
 * | reported                                         | recorded                     |
 * |--------------------------------------------------|------------------------------|
 * | chat names (`prompt_tokens`) or Responses names  | the same counts              |
 * | negative, fractional, not a number, beyond 2^53  | null                         |
 * | total missing, prompt and completion known       | their sum                    |
 * | no usage object                                  | null as a whole              |
 */
import { isRecord } from './failed-answer';

export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
}

export function readUsage(reported: unknown): Usage | null {
  if (!isRecord(reported)) return null;
  const promptTokens = count(reported['prompt_tokens'] ?? reported['input_tokens']);
  const completionTokens = count(reported['completion_tokens'] ?? reported['output_tokens']);
  return {
    promptTokens,
    completionTokens,
    totalTokens: count(reported['total_tokens']) ?? sum(promptTokens, completionTokens),
    cachedTokens: detail(reported, ['prompt_tokens_details', 'input_tokens_details'], 'cached_tokens'),
    reasoningTokens: detail(reported, ['completion_tokens_details', 'output_tokens_details'], 'reasoning_tokens'),
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function sum(first: number | null, second: number | null): number | null {
  return first === null || second === null ? null : first + second;
}

function detail(reported: Record<string, unknown>, groups: readonly string[], name: string): number | null {
  for (const group of groups) {
    const details = reported[group];
    if (isRecord(details)) return count(details[name]);
  }
  return null;
}
