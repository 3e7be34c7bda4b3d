/** Statements as the repositories write them: one text for both databases, parameters as $1, $2, … */
import type { EntityManager, QueryRunner } from 'typeorm';

export type Value = string | number | boolean | null;

/**
 * What a transaction can hold against other processes until it ends. `counters`: whatever is counted over
 * all processes (open tasks, seats, ends, usage), so that no two transactions wait for each other's counts.
 */
export type Lock = 'migrations' | 'counters';

export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  /** The strings of a JSON array parameter, to be used as `x IN (…)`. */
  textList(parameter: string): string;
  lock(sql: Sql, lock: Lock): Promise<void>;
}

export interface Sql {
  readonly dialect: Dialect;
  /** The rows of a SELECT or of a RETURNING clause. */
  rows<Row>(text: string, values?: readonly Value[]): Promise<Row[]>;
  /** Runs a statement that returns no rows; tells how many it changed. */
  run(text: string, values?: readonly Value[]): Promise<number>;
  /** TypeORM on the same connection and in the same transaction, for the tables off the hot path. */
  readonly manager: EntityManager;
}

export interface Transaction extends Sql {
  readonly runner: QueryRunner;
  commit(): Promise<void>;
  /** Never throws: there may be nothing left to roll back. */
  rollback(): Promise<void>;
}

/** An open database, whichever it is. */
export interface Connection {
  /** For messages: the file, or the URL without its password. */
  readonly location: string;
  readonly dialect: Dialect;
  /** Outside any transaction; never writes. */
  readonly reading: Sql;
  /** Starts a transaction; one at a time on SQLite. */
  begin(): Promise<Transaction>;
  close(): Promise<void>;
}
