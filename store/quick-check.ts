/** `PRAGMA quick_check` over one SQLite file, read-only: neither it nor its log changes by a byte (C4). */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sqliteReader, sqliteWriter, unusedSqliteReader } from './data-source';

/** Problems listed at most; one is enough to stop. */
const MAX_PROBLEMS = 20;

/**
 * The problems found, none for a sound file. Sees damaged structure: pages, cells, free list, values out
 * of their column's rules. Does not see, by design of quick_check: an index that disagrees with its
 * table, duplicate keys, and changed bytes inside a stored value (SQLite keeps no checksums of pages).
 * `inUse`: a server may write it meanwhile.
 */
export async function quickCheck(file: string, inUse = false): Promise<readonly string[]> {
  try {
    return hasHotJournal(file) ? await checkCopy(file) : await checkInPlace(file, inUse);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function checkInPlace(file: string, inUse: boolean): Promise<readonly string[]> {
  const { source, statements } = await (inUse ? sqliteReader : unusedSqliteReader)(file);
  try {
    const rows = await statements.rows<{ quick_check: string }>(`PRAGMA quick_check(${MAX_PROBLEMS})`, []);
    return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
  } finally {
    await statements.close();
    await source.destroy();
  }
}

/** A crash in the switch to WAL leaves a rollback journal: only a writer can read past it. */
function hasHotJournal(file: string): boolean {
  const journal = `${file}-journal`;
  return existsSync(journal) && statSync(journal).size > 0;
}

async function checkCopy(file: string): Promise<readonly string[]> {
  const dir = mkdtempSync(join(dirname(file), 'checking-'));
  try {
    const copy = join(dir, basename(file));
    for (const suffix of ['', '-journal']) copyFileSync(file + suffix, copy + suffix);
    const { source, statements } = await sqliteWriter(copy);
    await statements.close();
    await source.destroy();
    return await checkInPlace(copy, false);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
