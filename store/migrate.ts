import { MigrationExecutor } from 'typeorm';
import { SchemaTooNew } from './errors';
import type { Connection, Sql } from './sql';

/** Fault C15: a database that a newer version has changed is refused, untouched. */
export async function refuseNewerSchema(sql: Sql, location: string): Promise<void> {
  const known = new Set(sql.manager.connection.migrations.map((migration) => migration.name));
  const executed = await new MigrationExecutor(sql.manager.connection).getExecutedMigrations();
  const newer = executed.find((migration) => !known.has(migration.name));
  if (!newer) return;
  throw new SchemaTooNew(
    `${location} was written by a newer SoAI: it has the migration ${newer.name}, which this version does not know. ` +
      'Start that version or a later one, or restore a backup made before the upgrade.',
  );
}

/** Runs what is pending in one transaction, so that a migration cut short leaves nothing behind. */
export async function runMigrations(connection: Connection): Promise<readonly string[]> {
  const transaction = await connection.begin();
  try {
    await connection.dialect.lock(transaction, 'migrations');
    const executor = new MigrationExecutor(transaction.manager.connection, transaction.runner);
    executor.transaction = 'none';
    const done = await executor.executePendingMigrations();
    await transaction.commit();
    return done.map((migration) => migration.name);
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
