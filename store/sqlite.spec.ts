import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeConformance } from '../test/store/conformance';
import { schemaConformance } from '../test/store/conformance/schema';
import { newTask } from '../test/store/samples';
import { temporaryDirectories } from '../test/store/temporary-directory';
import { DatabaseBusy, DatabaseCorrupt, DatabaseFull, DatabaseUnavailable, SchemaTooNew } from './errors';
import { GroupCommit } from './group-commit';
import { migrations } from './migrations';
import { runMigrations } from './migrate';
import { databaseFile, migrate, openStore, type StoreOptions } from './open-store';
import type { Connection, Sql } from './sql';
import { connectSqlite } from './sqlite-connection';
import { insertTasks } from './task-insert';

const newDirectory = temporaryDirectories();
const sqliteIn = (dataDir: string): StoreOptions => ({ database: { TYPE: 'sqlite' }, dataDir });
const connect = (dataDir: string): Promise<Connection> => connectSqlite(databaseFile(dataDir), async () => {});

storeConformance(() => openStore(sqliteIn(newDirectory())));

describe('schema', () => schemaConformance(() => connect(newDirectory())));

describe('the file', () => {
  test('S54: the data directory and the database are their owner’s alone, also when they were not', async () => {
    const dataDir = join(newDirectory(), 'data');
    await (await openStore(sqliteIn(dataDir))).close();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const file = databaseFile(dataDir);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const open = join(newDirectory(), 'soai.db');
    writeFileSync(open, '', { mode: 0o644 });
    const store = await openStore(sqliteIn(join(open, '..')));
    await store.tasks.accept(newTask({ id: 't1' }), 0);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(open + suffix).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test('A1: the writer commits to a write-ahead log with full syncs and checks foreign keys', async () => {
    const connection = await connect(newDirectory());
    const transaction = await connection.begin();
    const pragma = async (name: string): Promise<unknown> => {
      const [row] = await transaction.rows<Record<string, unknown>>(`PRAGMA ${name}`);
      return Object.values(row ?? {})[0];
    };
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
    await transaction.rollback();
    await connection.close();
  });

  test('A1: the reading connection cannot write', async () => {
    const connection = await connect(newDirectory());
    await runMigrations(connection);
    await expect(connection.reading.run('DELETE FROM tasks')).rejects.toThrow(/readonly/);
    await connection.close();
  });

  test('C8: closing leaves one file, and what was accepted is in it', async () => {
    const dataDir = newDirectory();
    const first = await openStore(sqliteIn(dataDir));
    await first.tasks.accept(newTask({ id: 't1' }), 0);
    await first.close();
    expect(existsSync(`${databaseFile(dataDir)}-wal`)).toBe(false);
    await expect(first.tasks.accept(newTask({ id: 't2' }), 0)).rejects.toThrow(DatabaseUnavailable);
    const second = await openStore(sqliteIn(dataDir));
    await expect(second.tasks.get('t1')).resolves.toMatchObject({ id: 't1' });
    await second.close();
  });

  test('C8: closing waits for what is being written', async () => {
    const dataDir = newDirectory();
    const store = await openStore(sqliteIn(dataDir));
    const accepts = Array.from({ length: 200 }, (_, index) => store.tasks.accept(newTask({ id: `t${index}` }), 0));
    await store.close();
    await expect(Promise.all(accepts)).resolves.toHaveLength(200);
  });

  test('C15: migrate brings the schema up to date and says what ran', async () => {
    const dataDir = newDirectory();
    await expect(migrate(sqliteIn(dataDir))).resolves.toEqual(migrations.map(({ name }) => name));
    await expect(migrate(sqliteIn(dataDir))).resolves.toEqual([]);
  });

  test('C15: a file of a newer version is refused and stays as it was, to the byte', async () => {
    const dataDir = newDirectory();
    const connection = await connect(dataDir);
    await runMigrations(connection);
    const transaction = await connection.begin();
    await transaction.run(`INSERT INTO migrations (timestamp, name) VALUES (1899999999999, 'Later1899999999999')`);
    await transaction.commit();
    await connection.close();
    const digest = (): string =>
      createHash('sha256')
        .update(readFileSync(databaseFile(dataDir)))
        .digest('hex');
    const before = digest();
    await expect(openStore(sqliteIn(dataDir))).rejects.toThrow(SchemaTooNew);
    await expect(openStore(sqliteIn(dataDir))).rejects.toThrow(databaseFile(dataDir));
    expect(digest()).toBe(before);
  });

  test('C10: a file that is no database is refused by name and left alone', async () => {
    const dataDir = newDirectory();
    const file = databaseFile(dataDir);
    writeFileSync(file, 'not a database, but longer than the header of one would have to be '.repeat(20), {
      mode: 0o600,
    });
    const content = readFileSync(file);
    const refusal = await openStore(sqliteIn(dataDir)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseCorrupt);
    expect((refusal as Error).message).toContain(file);
    expect(readFileSync(file)).toEqual(content);
  });
});

describe('damage', () => {
  test('C1: a lock held by somebody else ends as DatabaseBusy with nothing written, and passes', async () => {
    const dataDir = newDirectory();
    const store = await openStore(sqliteIn(dataDir));
    const other = await connect(dataDir);
    const lock = await other.begin();
    await expect(store.tasks.accept(newTask({ id: 't1' }), 0)).rejects.toThrow(DatabaseBusy);
    await expect(store.tasks.get('t1')).resolves.toBeNull();
    await lock.rollback();
    await expect(store.tasks.accept(newTask({ id: 't1' }), 0)).resolves.toEqual({ kind: 'accepted' });
    await other.close();
    await store.close();
  }, 20_000);

  test('C3: a full disk ends as DatabaseFull with nothing written; there is space again, it goes on', async () => {
    const connection = await connect(newDirectory());
    await runMigrations(connection);
    const limitPages = async (pages: string): Promise<void> => {
      const transaction = await connection.begin();
      await transaction.rows(`PRAGMA max_page_count = ${pages}`);
      await transaction.rollback();
    };
    const writer = new GroupCommit(() => connection.begin());
    const accept = (id: string) => (sql: Sql) => insertTasks(sql, [newTask({ id, body: 'x'.repeat(100_000) })]);
    await limitPages('1');
    const outcomes = await Promise.allSettled(['t1', 't2', 't3'].map((id) => writer.write(accept(id))));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(DatabaseFull) });
    await limitPages('1000000');
    await writer.write(accept('t1'));
    await expect(connection.reading.rows('SELECT id FROM tasks')).resolves.toEqual([{ id: 't1' }]);
    await connection.close();
  });

  test('C6: a damaged database is refused by name', async () => {
    const dataDir = newDirectory();
    await (await openStore(sqliteIn(dataDir))).close();
    const file = databaseFile(dataDir);
    // Every page but the first, which holds the schema.
    writeFileSync(file, readFileSync(file).fill(0xa5, 4_096));
    const refusal = await openStore(sqliteIn(dataDir)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseCorrupt);
    expect((refusal as Error).message).toContain(file);
  });
});
