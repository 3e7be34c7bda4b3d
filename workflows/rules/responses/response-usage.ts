/** Token counts of a chat answer in the Responses API's words, every count there. */
import { readUsage } from '../usage';

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** Null: the backend reported none. Takes the names of either API. */
export function responseUsage(reported: unknown): ResponseUsage | null {
  const usage = readUsage(reported);
  if (!usage) return null;
  const input = usage.promptTokens ?? 0;
  const output = usage.completionTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.totalTokens ?? input + output,
  };
}
