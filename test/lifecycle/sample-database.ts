/** Real databases of the product, whole, and as a crash or a fault leaves them. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mark, type Expected } from '../../activities/lifecycle/dirty-marker';
import { databaseFile, openStore, type StoreOptions } from '../../store/open-store';
import { newTask } from '../store/samples';

const sqlite: StoreOptions['database'] = { TYPE: 'sqlite' };

/** Accepts `tasks` tasks of `bodyBytes` in `dataDir` and stops cleanly. */
export async function fill(dataDir: string, tasks: number, bodyBytes = 1_500): Promise<void> {
  const store = await openStore({ database: sqlite, dataDir });
  await acceptMany(store, 'filled', tasks, bodyBytes);
  await store.close();
}

/** What a SIGKILL leaves: `tasks` more acknowledged ones, in the log alone. Into `crashed`, from `dataDir`. */
export async function crash(dataDir: string, crashed: string, tasks: number): Promise<void> {
  const store = await openStore({ database: sqlite, dataDir });
  // One after the other: a commit each.
  for (let at = 0; at < tasks; at++) await acceptMany(store, `logged-${at}`, 1, 1_500);
  mkdirSync(crashed, { recursive: true });
  for (const suffix of ['', '-wal']) copyFileSync(databaseFile(dataDir) + suffix, databaseFile(crashed) + suffix);
  await store.close();
  await leaveMarker(crashed, 'database_and_log');
}

async function acceptMany(store: Awaited<ReturnType<typeof openStore>>, prefix: string, count: number, bytes: number) {
  const accepted = Array.from({ length: count }, (_, at) => {
    const id = `${prefix}-${at}`;
    return store.tasks.accept(newTask({ id, body: JSON.stringify({ id, text: 'x'.repeat(bytes) }) }), 0);
  });
  await Promise.all(accepted);
}

export function leaveMarker(dataDir: string, expects: Expected): Promise<void> {
  return mark(dataDir, { started_at: Date.now() - 60_000, expects, invocation: null });
}

/** Deletes a third of the requests, which leaves pages on the free list. */
export function makeFreePages(dataDir: string): void {
  using database = new DatabaseSync(databaseFile(dataDir));
  database.exec(`DELETE FROM task_requests WHERE rowid % 3 = 0`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

export function copyDatabaseFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const suffix of ['', '-wal']) {
    if (existsSync(databaseFile(from) + suffix)) {
      copyFileSync(databaseFile(from) + suffix, databaseFile(to) + suffix);
    }
  }
}

/** SHA-256 of the database and of its log; null for what is not there. */
export function digests(dataDir: string): (string | null)[] {
  return ['', '-wal'].map((suffix) => {
    const file = databaseFile(dataDir) + suffix;
    return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : null;
  });
}

export function flip(file: string, ...offsets: readonly number[]): void {
  const bytes = readFileSync(file);
  for (const at of offsets) bytes[at] = bytes[at]! ^ 0xff;
  writeFileSync(file, bytes);
}

/** The page's kind at each offset of interest is in its first byte: breaking it is damage of structure. */
export function breakTablePages(dataDir: string): void {
  const file = databaseFile(dataDir);
  const pages = readFileSync(file).length / 4_096;
  const leaves = Array.from({ length: pages - 1 }, (_, at) => (at + 1) * 4_096);
  flip(file, ...leaves.filter((_, at) => at % 7 === 3));
}

/** Breaks one leaf page of a table: the rest of the file stays readable. */
export function breakLeaf(dataDir: string, table: string): void {
  const pages = readFileSync(databaseFile(dataDir)).length / 4_096;
  const scratch = databaseFile(dataDir);
  const root = rootPage(scratch, table);
  const bytes = readFileSync(scratch);
  // An interior page lists its children: 12 bytes of header, then 2-byte offsets of cells that begin with a page number.
  const interior = (root - 1) * 4_096;
  const child = bytes.readUInt32BE(interior + bytes.readUInt16BE(interior + 12));
  if (child < 2 || child > pages) throw new Error('the table is too small to have leaves');
  flip(scratch, (child - 1) * 4_096);
}

function rootPage(file: string, table: string): number {
  using database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  return (row as { rootpage: number }).rootpage;
}

export function countTasks(dataDir: string): number {
  using database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  return (database.prepare('SELECT count(*) AS tasks FROM tasks').get() as { tasks: number }).tasks;
}

/** `PRAGMA integrity_check`, on a copy: opening writes. */
export function integrityCheck(dataDir: string, scratch: string): string[] {
  copyDatabaseFiles(dataDir, scratch);
  const file = join(scratch, 'soai.db');
  try {
    using database = new DatabaseSync(file);
    const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
