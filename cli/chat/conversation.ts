/** The interactive loop: a line, an answer, until /exit, Ctrl-D, or Ctrl-C at the prompt. */
import { createInterface } from 'node:readline';
import type { ApiClient } from '../api-client';
import type { Context } from '../context';
import { CliError, EXIT } from '../exit-code';
import type { Message } from './completion';
import { say } from './say';

export async function converse(
  context: Context,
  client: ApiClient,
  model: string,
  system: readonly Message[],
  stream: boolean,
): Promise<number> {
  const { terminal, print } = context;
  print.say(`Talking to ${model}. /clear starts over, /exit or Ctrl-D leaves, Ctrl-C stops an answer.`);
  const lines = createInterface({ input: terminal.stdin, output: terminal.stdout, terminal: true, prompt: '> ' });
  let answering: AbortController | null = null;
  // The line editor has the terminal in raw mode, so Ctrl-C comes from it and not as a signal.
  lines.on('SIGINT', () => (answering === null ? lines.close() : answering.abort()));
  // Lines typed before Ctrl-D are still answered; there is nobody to prompt any more.
  let open = true;
  lines.once('close', () => (open = false));
  let messages: Message[] = [...system];
  lines.prompt();
  for await (const line of lines) {
    const content = line.trim();
    if (content === '/exit' || content === '/quit') break;
    if (content === '/clear') messages = [...system];
    else if (content !== '') {
      answering = new AbortController();
      messages.push({ role: 'user', content });
      const answer = await say(context, client, { model, messages }, stream, answering.signal).catch(
        (error: unknown) => {
          if (error instanceof CliError) print.error(error);
          else if (!answering?.signal.aborted) throw error;
          return null;
        },
      );
      answering = null;
      // A question that got no answer is not part of the conversation.
      if (answer === null || answer === '') messages.pop();
      else messages.push({ role: 'assistant', content: answer });
    }
    if (open) lines.prompt();
  }
  lines.close();
  return EXIT.ok;
}
