/** Aligned columns for people; `-o json` is for programs. */
import { visible } from './visible';

export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => string;
  readonly right?: boolean;
  /** Colours a cell that is already padded. */
  readonly paint?: (cell: string, row: T) => string;
  /** May be cut where the terminal is too narrow. */
  readonly cut?: boolean;
}

const GAP = 2;

export function table<T>(rows: readonly T[], columns: readonly Column<T>[], width: number | null): string {
  const cells = rows.map((row) => columns.map((column) => visible(column.value(row))));
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...cells.map((each) => each[i]?.length ?? 0)));
  if (width !== null) narrow(widths, columns, width);
  const line = (texts: readonly string[], row: T | null) =>
    columns
      .map((column, i) => {
        const fitted = fit(texts[i] ?? '', widths[i] ?? 0, column.right === true, i === columns.length - 1);
        return row !== null && column.paint ? column.paint(fitted, row) : fitted;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = line(
    columns.map(({ title }) => title),
    null,
  );
  return `${[head, ...rows.map((row, i) => line(cells[i] ?? [], row))].join('\n')}\n`;
}

/** `Name  value` lines. */
export function fields(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${visible(value)}`.trimEnd()).join('\n') + '\n';
}

/** Takes what is too much from the widest column that may be cut, never below 8 characters. */
function narrow<T>(widths: number[], columns: readonly Column<T>[], width: number): void {
  const total = () => widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1);
  while (total() > width) {
    const cuttable = columns.flatMap(({ cut }, i) => (cut && (widths[i] ?? 0) > 8 ? [i] : []));
    const widest = cuttable.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function fit(text: string, width: number, right: boolean, last: boolean): string {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  if (right) return cut.padStart(width);
  return last ? cut : cut.padEnd(width);
}
