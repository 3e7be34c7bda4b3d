import type { Sql, Value } from './sql';

const texts = new Map<string, string>();

function textFor(table: string, columns: readonly string[], count: number): string {
  const key = `${table} ${count}`;
  const known = texts.get(key);
  if (known) return known;
  const row = (index: number): string =>
    columns.map((_, column) => `$${index * columns.length + column + 1}`).join(', ');
  const rows = Array.from({ length: count }, (_, index) => `(${row(index)})`).join(', ');
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}`;
  texts.set(key, text);
  return text;
}

/** One multi-row INSERT. A table is always given the same columns. */
export async function insertRows(
  sql: Sql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  if (rows.length > 0) await sql.run(textFor(table, columns, rows.length), rows.flat());
}
