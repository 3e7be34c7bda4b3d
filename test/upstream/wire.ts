/** Builders of the bytes a chat backend sends, named as the fixture of the case list names them. */
const CREATED = 1_700_000_000;

export interface ChatChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Record<string, unknown>[];
  readonly usage?: Usage | null;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** One SSE event as bytes: `data: J\n\n`. */
export const ev = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;

export const DONE = 'data: [DONE]\n\n';

/** A chunk with any delta, e.g. a tool call's. */
export function delta(fields: Record<string, unknown>, finishReason: string | null = null, model = 'fake'): ChatChunk {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: CREATED,
    model,
    choices: [{ index: 0, delta: fields, finish_reason: finishReason }],
  };
}

export const chunk = (content: string, model?: string): ChatChunk => delta({ content }, null, model);

export const role = (model?: string): ChatChunk => delta({ role: 'assistant' }, null, model);

export const fin = (reason = 'stop', model?: string): ChatChunk => delta({}, reason, model);

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

export const usageChunk = (usage: Usage, model = 'fake'): ChatChunk => ({
  ...delta({}, null, model),
  choices: [],
  usage,
});

/** A plain chat answer. */
export function completion(content: string, usage = usageOf(1, 1), model = 'fake') {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: CREATED,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  };
}

/** An error body in OpenAI's shape. */
export const errorBody = (message: string, type = 'server_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
});

/** The same bytes with other line ends. */
export const withLineEnds = (bytes: string, lineEnd: '\r\n' | '\r'): string => bytes.replaceAll('\n', lineEnd);

/** One write per byte, so that multibyte characters are torn. */
export const bytewise = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.of(byte));

/** Two writes, torn at a byte offset. */
export function splitAt(text: string, offset: number): Buffer[] {
  const bytes = Buffer.from(text);
  return [bytes.subarray(0, offset), bytes.subarray(offset)].filter((part) => part.length > 0);
}
