/** SQLite: one writing connection and one that can only read. */
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sqliteReader, sqliteWriter, type SqliteSource } from './data-source';
import { sqlite } from './dialect';
import type { Connection, Sql, Transaction } from './sql';

/** Security S54: the database holds prompts, answers and hashes, so it is its owner's alone. */
async function ownFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await (await open(file, 'a', 0o600)).close();
  const { mode } = await stat(file);
  if (mode & 0o077) await chmod(file, 0o600);
}

const sqlOver = ({ source, statements }: SqliteSource): Sql => ({
  dialect: sqlite,
  rows: (text, values) => statements.rows(text, values),
  run: (text, values) => statements.run(text, values),
  manager: source.manager,
});

/**
 * `inspect` sees the database read-only before the writing connection opens, which alone may
 * already rewrite it.
 */
export async function connectSqlite(file: string, inspect: (sql: Sql) => Promise<void>): Promise<Connection> {
  await ownFile(file);
  const reader = await sqliteReader(file);
  try {
    const reading = sqlOver(reader);
    await inspect(reading);
    return connection(file, reader, reading, await sqliteWriter(file));
  } catch (error) {
    await shut(reader);
    throw error;
  }
}

function connection(location: string, reader: SqliteSource, reading: Sql, writer: SqliteSource): Connection {
  const writing = sqlOver(writer);
  const transaction: Transaction = {
    ...writing,
    runner: writer.source.createQueryRunner(),
    commit: async () => {
      await writing.run('COMMIT');
    },
    rollback: async () => {
      // Some failures (disk full, I/O) have rolled back already.
      await writing.run('ROLLBACK').catch(() => {});
    },
  };
  return {
    location,
    dialect: sqlite,
    reading,
    begin: async () => {
      await writing.run('BEGIN IMMEDIATE');
      return transaction;
    },
    close: async () => {
      await shut(reader);
      await writing.rows('PRAGMA wal_checkpoint(TRUNCATE)');
      await shut(writer);
    },
  };
}

async function shut({ source, statements }: SqliteSource): Promise<void> {
  await statements.close();
  await source.destroy();
}
