/** `soai chat`: ask a model from the shell. */
import { examples, type Register } from '../command';
import type { Context } from '../context';
import { converse } from '../chat/conversation';
import type { Message } from '../chat/completion';
import { defaultModel } from '../chat/default-model';
import { say } from '../chat/say';
import { CliError, EXIT } from '../exit-code';

interface ChatOptions {
  readonly model?: string;
  readonly system?: string;
  readonly stream: boolean;
}

export const registerChat: Register = (program, bind) => {
  const chat = program
    .command('chat')
    .description('Ask a model; the answer streams to the terminal')
    .argument('[prompt...]', 'what to ask; "-" stands for the standard input')
    .option('--model <name>', 'model or alias; without it the first that can chat')
    .option('--system <text>', 'instructions that go before the conversation')
    .option('--no-stream', 'print the answer when it is complete')
    .addHelpText(
      'after',
      '\nWithout a prompt it reads the standard input, or talks when that is a terminal.\n' +
        'Ctrl-C stops an answer. --output json prints the whole completion, jsonl each\n' +
        'chunk of it on a line.',
    )
    .action(bind(ask));
  examples(
    chat,
    'soai chat "Name three rivers."',
    'git diff | soai chat "Describe this change:" -',
    'soai chat --system "Answer in one word."',
  );
};

async function ask(context: Context, words: readonly string[], options: ChatOptions): Promise<number> {
  const system: Message[] = options.system === undefined ? [] : [{ role: 'system', content: options.system }];
  const { stdin } = context.terminal;
  const interactive = words.length === 0 && stdin.isTTY === true && context.print.format === 'table';
  const content = interactive ? '' : await promptOf(words, context);
  const client = context.api();
  const model = options.model ?? (await defaultModel(client));
  if (interactive) return converse(context, client, model, system, options.stream);
  if (options.model === undefined) context.print.say(`Asking ${model}.`);

  const leave = new AbortController();
  const stop = context.terminal.onInterrupt(() => leave.abort());
  try {
    const messages: Message[] = [...system, { role: 'user', content }];
    await say(context, client, { model, messages }, options.stream, leave.signal);
    return leave.signal.aborted ? EXIT.interrupted : EXIT.ok;
  } catch (error) {
    if (!leave.signal.aborted) throw error;
    return EXIT.interrupted;
  } finally {
    stop();
  }
}

/** The words, each "-" replaced by the standard input; without words the standard input alone. */
async function promptOf(words: readonly string[], { terminal }: Context): Promise<string> {
  const read = words.length === 0 || words.includes('-');
  const input = read ? (await text(terminal.stdin)).trimEnd() : '';
  const parts = words.map((word) => (word === '-' ? `\n${input}` : word));
  const prompt = (words.length === 0 ? input : parts.join(' ')).trim();
  if (prompt === '')
    throw new CliError(EXIT.usage, 'no_prompt', 'There is nothing to ask.', 'For example: soai chat "Hello"');
  return prompt;
}

async function text(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
