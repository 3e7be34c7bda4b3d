import type { Readable } from 'node:stream';

/** A line is cut here; what a process prints is its own affair. */
const MAX_LINE_LENGTH = 2000;

/** Beyond this many in a second lines are counted, not logged. */
const MAX_LINES_A_SECOND = 200;

/** Gives a child's output line by line, with bounded memory and a bounded rate. */
export function forwardLines(
  output: Readable,
  log: (line: string) => void,
  now = (): number => performance.now(),
): void {
  let partial = '';
  let windowStart = now();
  let inWindow = 0;
  let dropped = 0;

  function give(line: string): void {
    if (line.trim() === '') return;
    if (now() - windowStart >= 1000) {
      if (dropped > 0) log(`(${dropped} more lines were not logged)`);
      windowStart = now();
      inWindow = 0;
      dropped = 0;
    }
    inWindow += 1;
    if (inWindow > MAX_LINES_A_SECOND) dropped += 1;
    else log(line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line);
  }

  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const lines = (partial + text).split(/\r\n|\n|\r/);
    // One more than a line's cap is kept, so that an endless one is cut and marked, and costs no more.
    partial = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH + 1);
    lines.forEach(give);
  });
  output.on('end', () => {
    give(partial);
    if (dropped > 0) log(`(${dropped} more lines were not logged)`);
  });
  // A pipe that breaks has nothing more to say; the exit is noticed elsewhere.
  output.on('error', () => undefined);
}
