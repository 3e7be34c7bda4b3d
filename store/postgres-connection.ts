import type { DataSource, QueryRunner } from 'typeorm';
import { postgresSource } from './data-source';
import { postgres } from './dialect';
import type { Connection, Sql, Transaction } from './sql';

const withoutPassword = (url: string): string => {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
};

const sqlOver = (runner: QueryRunner): Sql => ({
  dialect: postgres,
  rows: async (text, values) => (await runner.query(text, values && [...values], true)).records,
  run: async (text, values) => (await runner.query(text, values && [...values], true)).affected ?? 0,
  manager: runner.manager,
});

/** Each statement on whichever connection of the pool is free. */
const sqlOverPool = (source: DataSource): Sql => {
  const borrowing = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    const runner = source.createQueryRunner();
    try {
      return await work(sqlOver(runner));
    } finally {
      await runner.release();
    }
  };
  return {
    dialect: postgres,
    rows: (text, values) => borrowing((sql) => sql.rows(text, values)),
    run: (text, values) => borrowing((sql) => sql.run(text, values)),
    manager: source.manager,
  };
};

export async function connectPostgres(url: string, onPoolError: (error: Error) => void): Promise<Connection> {
  const source = await postgresSource(url, onPoolError);
  return {
    location: withoutPassword(url),
    dialect: postgres,
    reading: sqlOverPool(source),
    begin: () => begin(source),
    close: () => source.destroy(),
  };
}

async function begin(source: DataSource): Promise<Transaction> {
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction();
  } catch (error) {
    await runner.release();
    throw error;
  }
  return {
    ...sqlOver(runner),
    runner,
    commit: async () => {
      await runner.commitTransaction();
      await runner.release();
    },
    rollback: async () => {
      // The connection may be gone; the server has rolled back then.
      await runner.rollbackTransaction().catch(() => {});
      await runner.release();
    },
  };
}
