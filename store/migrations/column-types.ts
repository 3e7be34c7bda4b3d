import type { QueryRunner } from 'typeorm';

/** Everything the two databases spell differently in a migration. */
export interface ColumnTypes {
  /** A primary key the database counts up itself, its constraint included. */
  counter(name: string, constraint: string): string;
}

export function columnTypes(runner: QueryRunner): ColumnTypes {
  return runner.connection.options.type === 'postgres'
    ? { counter: (name, constraint) => `"${name}" SERIAL CONSTRAINT "${constraint}" PRIMARY KEY` }
    : { counter: (name) => `"${name}" integer PRIMARY KEY AUTOINCREMENT NOT NULL` };
}
