import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { Waits } from '../upstream/waits';

export interface LogLine {
  readonly msg?: string;
  readonly level?: number | string;
  readonly [field: string]: unknown;
}

/** A process's log as it comes, and waits for a line. */
export class LogLines {
  readonly lines: LogLine[] = [];
  readonly #waits = new Waits();

  read(stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => {
      this.lines.push(parse(line));
      this.#waits.changed();
    });
  }

  /** The first line from `after` on that `matches`. */
  until(what: string, matches: (line: LogLine) => boolean, withinMs: number, after = 0): Promise<LogLine> {
    return this.#waits.until(what, () => this.lines.slice(after).find(matches), withinMs);
  }

  tail(count: number): string {
    return this.lines
      .slice(-count)
      .map((line) => JSON.stringify(line))
      .join('\n');
  }
}

/** What is not JSON (a crash's stack) is kept as a message. */
function parse(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as LogLine;
  } catch {
    // Kept as it is, below.
  }
  return { msg: line };
}
