import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { SchemaTooNew } from '../../../store/errors';
import { refuseNewerSchema, runMigrations } from '../../../store/migrate';
import { migrations } from '../../../store/migrations';
import type { Connection } from '../../../store/sql';

const names = migrations.map((migration) => migration.name);

/** The data source that may write. */
async function writing<T>(connection: Connection, work: (source: DataSource) => Promise<T>): Promise<T> {
  const transaction = await connection.begin();
  const source = transaction.manager.connection;
  await transaction.rollback();
  return work(source);
}

async function addMigration(
  connection: Connection,
  name: string,
  up: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  await writing(connection, async (source) => {
    source.migrations.push({ name, up, down: async () => {} });
  });
}

const tables = (connection: Connection): Promise<string[]> =>
  writing(connection, async (source) => {
    const runner = source.createQueryRunner();
    const names = [...source.entityMetadatas.map((entity) => entity.tableName), 'migrations', 'half'];
    const found: string[] = [];
    for (const name of names) if (await runner.hasTable(name)) found.push(name);
    await runner.release();
    return found;
  });

export function schemaConformance(connect: () => Promise<Connection>): void {
  let connection: Connection;

  beforeEach(async () => {
    connection = await connect();
  });

  afterEach(() => connection.close());

  test('C15: the migrations make exactly the schema that the entities describe, and run once', async () => {
    await expect(runMigrations(connection)).resolves.toEqual(names);
    const drift = await writing(connection, (source) => source.driver.createSchemaBuilder().log());
    expect(drift.upQueries.map((query) => query.query)).toEqual([]);
    await expect(runMigrations(connection)).resolves.toEqual([]);
  });

  test('C15: the migrations can be undone and run again', async () => {
    await runMigrations(connection);
    for (let left = names.length; left > 0; left -= 1) {
      await writing(connection, (source) => source.undoLastMigration());
    }
    await expect(tables(connection)).resolves.toEqual(['migrations']);
    await expect(runMigrations(connection)).resolves.toEqual(names);
  });

  test('C15: a migration that fails half-way leaves nothing of itself and nothing of those before it', async () => {
    await addMigration(connection, 'Half1899999999999', async (runner) => {
      await runner.query('CREATE TABLE half (id integer)');
      throw new Error('cut short');
    });
    await expect(runMigrations(connection)).rejects.toThrow('cut short');
    await expect(tables(connection)).resolves.toEqual([]);
  });

  test('C15: a schema with an unknown migration is refused, naming where it is and what to do', async () => {
    await addMigration(connection, 'Later1899999999999', async () => {});
    await runMigrations(connection);
    await writing(connection, async (source) => {
      source.migrations.pop();
    });
    const refusal = await refuseNewerSchema(connection.reading, connection.location).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SchemaTooNew);
    expect((refusal as SchemaTooNew).message).toContain(connection.location);
    expect((refusal as SchemaTooNew).message).toMatch(/Later1899999999999.*Start that version.*backup/);
    await writing(connection, async (source) => {
      await expect(new MigrationExecutor(source).getExecutedMigrations()).resolves.toHaveLength(names.length + 1);
    });
  });
}
