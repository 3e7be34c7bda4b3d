/** One answer from `POST /v1/chat/completions`, whole or as it comes. */
import { errorOf, type ApiClient } from '../api-client';
import { CliError, EXIT } from '../exit-code';
import { readEvents } from '../sse';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
}

const PATH = '/v1/chat/completions';

/** The body as the server sent it. */
export async function completeChat(client: ApiClient, request: ChatRequest, signal: AbortSignal): Promise<string> {
  const response = await client.open('POST', PATH, { signal, body: request });
  return response.text().catch((error: unknown) => {
    throw client.unreachable(error);
  });
}

/** Each chunk's JSON, until `[DONE]`; a failure in the stream is thrown. */
export async function* streamChat(
  client: ApiClient,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await client.open('POST', PATH, { signal, body: { ...request, stream: true } });
  try {
    for await (const { data } of readEvents(response.body as AsyncIterable<Uint8Array>)) {
      if (data === '[DONE]') return;
      const { code, message } = errorOf(data);
      if (message !== undefined) throw new CliError(EXIT.failed, code ?? 'stream_failed', message);
      yield data;
    }
  } catch (error) {
    throw client.unreachable(error);
  }
  throw new CliError(EXIT.failed, 'answer_cut_off', 'The answer was cut off: the stream ended before its end mark.');
}

export function deltaOf(chunk: string): string {
  const { choices } = JSON.parse(chunk) as { choices?: { delta?: { content?: unknown } }[] };
  const content = choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
}
