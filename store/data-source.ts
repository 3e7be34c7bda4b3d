/**
 * The TypeORM data sources. The only file that names a database driver: to swap sqlite3 (archived
 * upstream), change this file and package.json.
 */
import 'reflect-metadata';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import * as sqlite3 from 'sqlite3';
import { AbstractLogger, DataSource, type DataSourceOptions } from 'typeorm';
import { entities } from './entities';
import { migrations } from './migrations';
import { ReadableNames } from './naming';
import { SqliteStatements, type NativeConnection } from './sqlite-statements';

/** TypeORM writes some messages to stdout whatever it is told; what matters is thrown as well. */
class Silence extends AbstractLogger {
  protected override writeLog(): void {}
}

const common = { entities, migrations, namingStrategy: new ReadableNames(), logger: new Silence() } as const;

/** How long a statement waits for somebody else's lock (fault C1), ms. */
const lockTimeoutMs = 5_000;

// TypeORM asks for sqlite3's verbose mode, which captures a stack for every statement.
const driver = { ...sqlite3, verbose: () => sqlite3 };

export interface SqliteSource {
  readonly source: DataSource;
  readonly statements: SqliteStatements;
}

async function openSqlite(options: Partial<DataSourceOptions> & { database: string }): Promise<SqliteSource> {
  const source = new DataSource({
    ...common,
    driver,
    busyTimeout: lockTimeoutMs,
    ...options,
    type: 'sqlite',
  } as DataSourceOptions);
  await source.initialize();
  const { databaseConnection } = source.driver as unknown as { databaseConnection: NativeConnection };
  return { source, statements: new SqliteStatements(databaseConnection) };
}

export function sqliteReader(file: string): Promise<SqliteSource> {
  return openSqlite({ database: file, flags: sqlite3.OPEN_READONLY });
}

/**
 * For a file that no process writes: without a log it is opened as immutable, since SQLite would put
 * an empty log and its index beside it, even read-only (C4).
 */
export function unusedSqliteReader(file: string): Promise<SqliteSource> {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return sqliteReader(file);
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return openSqlite({ database: url.href, flags: sqlite3.OPEN_READONLY | sqlite3.OPEN_URI });
}

/** Spec A1: WAL and FULL, so that a commit is on the disk when it returns. */
export async function sqliteWriter(file: string): Promise<SqliteSource> {
  const sqlite = await openSqlite({ database: file });
  await sqlite.source.query('PRAGMA journal_mode = WAL');
  await sqlite.source.query('PRAGMA synchronous = FULL');
  // A checkpoint costs two more syncs: one in 16 MiB of log rather than in 4.
  await sqlite.source.query('PRAGMA wal_autocheckpoint = 4000');
  await sqlite.source.query(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`);
  return sqlite;
}

export async function postgresSource(url: string, onPoolError: (error: Error) => void): Promise<DataSource> {
  const source = new DataSource({
    ...common,
    type: 'postgres',
    url,
    applicationName: 'soai',
    parseInt8: true,
    installExtensions: false,
    connectTimeoutMS: lockTimeoutMs,
    poolErrorHandler: onPoolError,
    extra: { max: 10, lock_timeout: lockTimeoutMs, statement_timeout: 30_000 },
  });
  return source.initialize();
}
