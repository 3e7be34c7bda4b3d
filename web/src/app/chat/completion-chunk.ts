import { ApiProblem, hasError } from '../api/api-problem';

/** What one event of a completion stream adds. */
export interface ChunkGain {
  text: string;
  reasoning: string;
  finishReason: string | null;
  completionTokens: number | null;
  done: boolean;
}

interface Chunk {
  choices?: {
    delta?: { content?: unknown; reasoning_content?: unknown; reasoning?: unknown };
    finish_reason?: unknown;
  }[];
  usage?: { completion_tokens?: unknown } | null;
}

const nothing: ChunkGain = { text: '', reasoning: '', finishReason: null, completionTokens: null, done: false };

/** Throws the failure an error event reports: the stream's status was 200 long before. */
export function readChunk(data: string): ChunkGain {
  if (data.trim() === '[DONE]') return { ...nothing, done: true };
  const chunk = parse(data);
  if (hasError(chunk)) throw new ApiProblem(chunk.error.code ?? 'stream_failed', chunk.error.message, null, null, 200);
  if (typeof chunk !== 'object' || chunk === null) return nothing;
  const { choices, usage } = chunk as Chunk;
  const choice = choices?.[0];
  const tokens = usage?.completion_tokens;
  return {
    text: string(choice?.delta?.content),
    reasoning: string(choice?.delta?.reasoning_content ?? choice?.delta?.reasoning),
    finishReason: string(choice?.finish_reason) || null,
    completionTokens: typeof tokens === 'number' ? tokens : null,
    done: false,
  };
}

/** T16: one broken line does not spoil a good stream; a truncated one is told by its missing end. */
function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
