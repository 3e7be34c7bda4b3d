/** Options of every command that shows a page of a list. */
import { InvalidArgumentError, type Command } from 'commander';

export interface PageOptions {
  readonly limit: string;
  readonly cursor?: string;
}

/** The API gives out at most this many entries a page. */
const LARGEST_PAGE = 200;

export function withPages(command: Command): Command {
  return command
    .option('--limit <n>', `entries to show, 1 to ${LARGEST_PAGE}`, wholeNumber, '20')
    .option('--cursor <cursor>', 'go on where the page before ended');
}

function wholeNumber(text: string): string {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= LARGEST_PAGE) return text;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${LARGEST_PAGE}.`);
}
