/** Asks once and shows the answer in the chosen format. */
import type { ApiClient } from '../api-client';
import type { Context } from '../context';
import { visibleText } from '../output/visible';
import { answerText } from './answer-text';
import { completeChat, deltaOf, streamChat, type ChatRequest } from './completion';

/** Returns what was shown of the answer, also when `signal` stopped it half-way. */
export async function say(
  { print, terminal }: Context,
  client: ApiClient,
  request: ChatRequest,
  stream: boolean,
  signal: AbortSignal,
): Promise<string> {
  // A terminal must not be steered by what a model writes; a file or a pipe gets it as it is.
  const safe = (text: string) => (terminal.stdout.isTTY ? visibleText(text) : text);
  if (print.format === 'json' || !stream) {
    const body = await completeChat(client, request, signal);
    const text = answerText(body) ?? '';
    if (print.format === 'json') print.json(JSON.parse(body));
    else if (print.format === 'jsonl') print.line(JSON.parse(body));
    else print.write(`${safe(text)}\n`);
    return text;
  }
  let answer = '';
  try {
    for await (const chunk of streamChat(client, request, signal)) {
      const text = deltaOf(chunk);
      answer += text;
      if (print.format === 'jsonl') print.write(`${chunk}\n`);
      else print.write(safe(text));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (print.format === 'table' && answer !== '') print.write('\n');
  }
  return answer;
}
