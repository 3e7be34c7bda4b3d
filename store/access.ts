/** How a repository reaches the database. */
import type { Sql } from './sql';
import type { Batch } from './group-commit';

export interface Access {
  /** Outside any transaction. Sees every write whose promise has resolved. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** One unit of the grouped writer; `bytes` where it carries a body. */
  write<T>(work: (sql: Sql) => Promise<T>, bytes?: number): Promise<T>;
  /** The same, for units that a group can run as one. */
  writeTogether<Item, Result>(batch: Batch<Item, Result>, item: Item, bytes: number): Promise<Result>;
}
