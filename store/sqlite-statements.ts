/**
 * Prepared statements over one SQLite connection. TypeORM's query runner prepares anew each time
 * and drops the rows of UPDATE … RETURNING, so the hot path goes past it.
 */
import type { Value } from './sql';

/** The part of sqlite3's interface that is used, so that another driver needs only an adapter. */
export interface NativeConnection {
  prepare(text: string, done: (error: Error | null) => void): NativeStatement;
}

interface NativeStatement {
  all(values: readonly Value[], done: (error: Error | null, rows: unknown[]) => void): void;
  run(values: readonly Value[], done: (this: { changes: number }, error: Error | null) => void): void;
  finalize(done: () => void): void;
}

/** Multi-row inserts have a text for each of up to 64 sizes and each table. */
const keptStatements = 512;

export class SqliteStatements {
  readonly #kept = new Map<string, NativeStatement>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly connection: NativeConnection) {}

  rows<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#inTurn(async () => {
      const statement = await this.#prepared(text);
      return new Promise((resolve, reject) => {
        statement.all(values, (error, rows) => (error ? reject(error) : resolve(rows as Row[])));
      });
    });
  }

  run(text: string, values: readonly Value[] = []): Promise<number> {
    return this.#inTurn(async () => {
      const statement = await this.#prepared(text);
      return new Promise((resolve, reject) => {
        statement.run(values, function (error) {
          if (error) reject(error);
          else resolve(this.changes);
        });
      });
    });
  }

  /** SQLite refuses to close a connection that has statements left. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      for (const statement of this.#kept.values()) await finalized(statement);
      this.#kept.clear();
    });
  }

  /**
   * One statement at a time: a second one would wait for the connection's mutex on a thread of
   * libuv's pool, of which there are four for the whole process.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #prepared(text: string): Promise<NativeStatement> {
    const kept = this.#kept.get(text);
    if (kept) return kept;
    // SQLite numbers `$1` by first appearance and `?1` by its number.
    const statement = await new Promise<NativeStatement>((resolve, reject) => {
      const made = this.connection.prepare(text.replaceAll(/\$(\d+)/g, '?$1'), (error) =>
        error ? reject(error) : resolve(made),
      );
    });
    const [oldest] = this.#kept;
    if (oldest && this.#kept.size >= keptStatements) {
      this.#kept.delete(oldest[0]);
      await finalized(oldest[1]);
    }
    this.#kept.set(text, statement);
    return statement;
  }
}

const finalized = (statement: NativeStatement): Promise<void> => new Promise((resolve) => statement.finalize(resolve));
