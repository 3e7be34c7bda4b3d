import type { Sql, Value } from './sql';

/** Where rows go. Columns that are the same in every row are constants: binding a value costs more than the rest. */
export interface InsertShape {
  readonly table: string;
  readonly columns: readonly string[];
  /** SQL literals by column. */
  readonly constants?: Readonly<Record<string, string>>;
}

const texts = new WeakMap<InsertShape, Map<number, string>>();

/** Kept for each number of rows, so that the same text finds its prepared statement. */
function textFor(shape: InsertShape, count: number): string {
  const known = texts.get(shape) ?? new Map<number, string>();
  texts.set(shape, known);
  const text = known.get(count) ?? write(shape, count);
  known.set(count, text);
  return text;
}

function write({ table, columns, constants = {} }: InsertShape, count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = columns.map((_, column) => `$${row * columns.length + column + 1}`);
    return `(${[...values, ...Object.values(constants)].join(', ')})`;
  });
  return `INSERT INTO ${table} (${[...columns, ...Object.keys(constants)].join(', ')}) VALUES ${rows.join(', ')}`;
}

/** One multi-row INSERT. */
export async function insertRows(sql: Sql, shape: InsertShape, rows: readonly (readonly Value[])[]): Promise<void> {
  await sql.run(textFor(shape, rows.length), rows.flat());
}
