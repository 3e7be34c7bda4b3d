import { join } from 'node:path';
import { accountsOver } from './accounts';
import type { Access } from './access';
import { catalogueOver } from './catalogue';
import { downloadsOver } from './downloads';
import { translating } from './driver-errors';
import { DatabaseError } from './errors';
import { GroupCommit } from './group-commit';
import { keysOver } from './keys';
import { lifecycleOver } from './lifecycle';
import { refuseNewerSchema, runMigrations } from './migrate';
import { pluginStatesOver } from './plugin-states';
import { pluginPackagesOver } from './plugin-packages';
import { connectPostgres } from './postgres-connection';
import { processesOver } from './processes';
import { queueOver } from './queue';
import { responsesOver } from './responses';
import { sessionsOver } from './sessions';
import type { Connection, Transaction } from './sql';
import { connectSqlite } from './sqlite-connection';
import type { Store } from './store';
import { tasksOver } from './tasks';
import { usageOver } from './usage';

export interface StoreOptions {
  readonly database: { readonly TYPE: 'sqlite' } | { readonly TYPE: 'postgres'; readonly URL: string };
  /** SYSTEM_DATA; holds `soai.db` on SQLite. */
  readonly dataDir: string;
  readonly log?: (level: 'info' | 'warn', message: string, fields?: Record<string, unknown>) => void;
  /**
   * Called once when the database can't be trusted to keep what it acknowledges (faults C6, C9).
   * The store refuses every write from then on; the process should end.
   */
  readonly onFatal?: (error: DatabaseError) => void;
  /** Sees the text of every statement of a transaction just before it runs. */
  readonly beforeStatement?: (text: string) => void;
}

/** The core database's file on SQLite. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'soai.db');

/** Opens the database, brings its schema up to date, and refuses one that is newer. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const connection = await connect(options);
  try {
    await bringUpToDate(connection, options.log);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return storeOver(connection, options);
}

/** Only brings the schema up to date. Returns the migrations that ran. */
export async function migrate(options: StoreOptions): Promise<readonly string[]> {
  const connection = await connect(options);
  try {
    return await bringUpToDate(connection, options.log);
  } finally {
    await connection.close();
  }
}

async function connect({ database, dataDir, log }: StoreOptions): Promise<Connection> {
  if (database.TYPE === 'postgres') {
    return named('the PostgreSQL database', () =>
      connectPostgres(database.URL, (error) => log?.('warn', `PostgreSQL: ${error.message}`)),
    );
  }
  const file = databaseFile(dataDir);
  return named(file, () => connectSqlite(file, (sql) => refuseNewerSchema(sql, file)));
}

/** The driver's messages don't say which database they are about (fault C10). */
async function named<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await translating(work);
  } catch (error) {
    if (error instanceof DatabaseError && !error.message.includes(location)) {
      error.message = `${location}: ${error.message}`;
    }
    throw error;
  }
}

function bringUpToDate(connection: Connection, log: StoreOptions['log']): Promise<readonly string[]> {
  return named(connection.location, async () => {
    await refuseNewerSchema(connection.reading, connection.location);
    const done = await runMigrations(connection);
    for (const migration of done) log?.('info', 'migrated the database', { migration, database: connection.location });
    return done;
  });
}

function storeOver(connection: Connection, { onFatal, beforeStatement }: StoreOptions): Store {
  const begin = beforeStatement ? watched(connection, beforeStatement) : () => connection.begin();
  const writer = new GroupCommit(begin, onFatal);
  const access: Access = {
    read: async (work) => {
      try {
        return await translating(() => work(connection.reading));
      } catch (error) {
        writer.noticed(error);
        throw error;
      }
    },
    write: (work, bytes) => writer.write(work, bytes),
    writeTogether: (batch, item, bytes) => writer.writeTogether(batch, item, bytes),
  };
  return {
    kind: connection.dialect.kind,
    tasks: tasksOver(access),
    queue: queueOver(access),
    accounts: accountsOver(access),
    keys: keysOver(access),
    sessions: sessionsOver(access),
    processes: processesOver(access),
    lifecycle: lifecycleOver(access),
    catalogue: catalogueOver(access),
    downloads: downloadsOver(access),
    pluginPackages: pluginPackagesOver(access),
    usage: usageOver(access),
    pluginStates: pluginStatesOver(access),
    responses: responsesOver(access),
    ping: async () => {
      if (writer.refusal) throw writer.refusal;
      await access.read((sql) => sql.rows('SELECT 1 FROM migrations LIMIT 1'));
    },
    close: async () => {
      await writer.close();
      await connection.close();
    },
  };
}

function watched(connection: Connection, before: (text: string) => void): () => Promise<Transaction> {
  return async () => {
    const transaction = await connection.begin();
    const run: Transaction['run'] = (text, values) => {
      before(text);
      return transaction.run(text, values);
    };
    return { ...transaction, run };
  };
}
