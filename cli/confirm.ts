/** Asks before something that cannot be undone; a script is taken at its word. */
import { createInterface } from 'node:readline/promises';
import type { Context } from './context';

export async function confirm({ terminal, print }: Context, question: string): Promise<boolean> {
  if (!terminal.stdin.isTTY) return true;
  print.say(`${question} [y/N]`);
  const lines = createInterface({ input: terminal.stdin });
  try {
    const [answer] = await Promise.race([
      new Promise<string[]>((resolve) => lines.once('line', (line) => resolve([line]))),
      new Promise<string[]>((resolve) => lines.once('close', () => resolve([]))),
    ]);
    return /^y(es)?$/i.test((answer ?? '').trim());
  } finally {
    lines.close();
  }
}
