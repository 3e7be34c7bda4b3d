/** How commands are declared: a body that gets the context, and examples that every help ends with. */
import type { Command } from 'commander';
import type { Context } from './context';

type Body<A extends unknown[]> = (context: Context, ...args: A) => Promise<number | void> | number | void;

/** Makes a commander action of a body; the number it returns is the exit code. */
export type Bind = <A extends unknown[]>(body: Body<A>) => (...args: A) => Promise<void>;

export type Register = (program: Command, bind: Bind) => void;

/** Each must run as it stands, given a server with the things it names. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
