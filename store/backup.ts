/** Copies of a SQLite database, whole and consistent while others write it. */
import { chmod, open } from 'node:fs/promises';
import { sqliteReader, sqliteWriter, unusedSqliteReader, type SqliteSource } from './data-source';
import { sqlite } from './dialect';
import { DatabaseError } from './errors';
import { refuseNewerSchema } from './migrate';
import { quickCheck } from './quick-check';

/** The copy, or what was to be copied, is not what it should be. */
export class BadDatabase extends DatabaseError {
  override readonly name = 'BadDatabase';

  constructor(
    readonly file: string,
    readonly problem: string,
  ) {
    super(`${file}: ${problem}`);
  }
}

/**
 * `to` must not exist; it becomes one file without a log, its owner's alone, checked and synced to the
 * disk. `from` is read as one snapshot, its log included, and does not change by a byte. `inUse`: a server
 * may write it meanwhile.
 */
export async function copyDatabase(from: string, to: string, inUse: boolean): Promise<void> {
  await (await open(to, 'wx', 0o600)).close();
  const reader = await (inUse ? sqliteReader : unusedSqliteReader)(from);
  try {
    await reader.statements.rows('VACUUM INTO ?', [to]);
  } finally {
    await shut(reader);
  }
  // In WAL mode from the start: the server's own switch could leave a rollback journal in a crash.
  await shut(await sqliteWriter(to));
  await chmod(to, 0o600);
  const problem = (await quickCheck(to))[0];
  if (problem !== undefined) throw new BadDatabase(to, `the copy failed its check: ${problem}`);
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws BadDatabase or SchemaTooNew unless the file is a sound database that this version can serve. */
export async function assertServable(file: string): Promise<void> {
  const problem = (await quickCheck(file))[0];
  if (problem !== undefined) throw new BadDatabase(file, `it failed its integrity check: ${problem}`);
  await assertReadable(file, false);
}

/** The same without reading the whole file. Read-only. */
export async function assertReadable(file: string, inUse: boolean): Promise<void> {
  const reader = await (inUse ? sqliteReader : unusedSqliteReader)(file);
  try {
    const { source, statements } = reader;
    const tables = await statements.rows<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('migrations', 'tasks')`,
    );
    if (tables.length < 2) throw new BadDatabase(file, 'it is not a database of SoAI');
    await refuseNewerSchema(
      {
        dialect: sqlite,
        rows: (text, values) => statements.rows(text, values),
        run: (text, values) => statements.run(text, values),
        manager: source.manager,
      },
      file,
    );
  } finally {
    await shut(reader);
  }
}

async function shut({ source, statements }: SqliteSource): Promise<void> {
  await statements.close();
  await source.destroy();
}
