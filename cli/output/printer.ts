/** Data on stdout in the chosen format, talk on stderr (spec J). */
import { styleText } from 'node:util';
import type { CliError } from '../exit-code';
import type { Terminal } from '../terminal';
import { fields, table, type Column } from './table';
import { visible } from './visible';

export const FORMATS = ['table', 'json', 'jsonl'] as const;
export type Format = (typeof FORMATS)[number];
export type Colour = 'green' | 'yellow' | 'red' | 'dim';

export class Printer {
  constructor(
    private readonly terminal: Terminal,
    readonly format: Format,
  ) {}

  /** A list as the API answers it; jsonl prints an entry a line. */
  list<T>(
    page: { readonly data: readonly T[]; readonly next_cursor: string | null },
    columns: readonly Column<T>[],
  ): void {
    if (this.format === 'json') return this.json(page);
    if (this.format === 'jsonl') return page.data.forEach((entry) => this.line(entry));
    const { stdout } = this.terminal;
    if (page.data.length === 0) return this.say('Nothing to show.');
    this.write(table(page.data, columns, stdout.isTTY ? (stdout.columns ?? null) : null));
    if (page.next_cursor !== null) this.say(`More: add --cursor ${page.next_cursor}`);
  }

  /** One thing: `Name  value` lines in table format, followed by `after`. */
  record(value: unknown, pairs: readonly (readonly [string, string])[], after = ''): void {
    if (this.format === 'json') this.json(value);
    else if (this.format === 'jsonl') this.line(value);
    else this.write(fields(pairs) + after);
  }

  json(value: unknown): void {
    this.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** One JSON document on one line, in either JSON format: for things that go on. */
  line(value: unknown): void {
    this.write(`${JSON.stringify(value)}\n`);
  }

  write(text: string): void {
    this.terminal.stdout.write(text);
  }

  /** For the person at the terminal; never part of the data. */
  say(text: string): void {
    this.terminal.stderr.write(`${visible(text)}\n`);
  }

  error(error: CliError): void {
    const { code, message, hint } = error;
    if (this.format !== 'table') {
      this.terminal.stderr.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
      return;
    }
    for (const [i, line] of message.split('\n').entries()) this.say(i === 0 ? `soai: ${line}` : line);
    if (hint !== null) this.say(`  ${hint}`);
  }

  paint(colour: Colour, text: string): string {
    const { stdout, env } = this.terminal;
    return stdout.isTTY && !env.NO_COLOR ? styleText(colour, text, { validateStream: false }) : text;
  }
}
