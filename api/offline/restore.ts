/** `soai db restore`: puts a backup in the database's place; what was there is kept. */
import { existsSync, lstatSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DataDirectoryInUse, lockDataDirectory } from '../../activities/lifecycle/data-lock';
import { isMarked, mark, readMarker, syncDirectory, unmark } from '../../activities/lifecycle/dirty-marker';
import { assertServable, BadDatabase, copyDatabase } from '../../store/backup';
import { SchemaTooNew } from '../../store/errors';
import { logProblem } from '../../store/write-ahead-log';
import type { DatabaseRestore } from '../contract/offline';
import type { OfflineSettings, Say } from './context';
import { sqliteFile } from './database';
import { OfflineError } from './offline-error';

/** The main file last: SQLite takes a log without its database for nothing. */
const SUFFIXES = ['-wal', '-shm', '-journal', ''];

export async function restore(context: OfflineSettings, source: string, say: Say): Promise<DatabaseRestore> {
  const file = sqliteFile(context);
  const backup = path.resolve(source);
  if (!lstatSync(backup, { throwIfNoEntry: false })) {
    throw new OfflineError(5, 'backup_not_found', `There is no file ${backup}.`);
  }
  if (backup === path.resolve(file)) {
    throw new OfflineError(
      2,
      'invalid_source',
      'The database can not be restored from itself.',
      'Copy it aside first.',
    );
  }
  const unlock = await lock(context.dataDir);
  try {
    say('checking the backup');
    await assertServable(backup).catch(refuseBackup(backup));
    const lost = logProblem(backup);
    if (lost !== null) say(`warning: ${lost}; what was committed after that is lost`);
    say('copying it');
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');
    const kept = await putInPlace(context.dataDir, file, backup, `${file}.before-restore-${stamp}`);
    return { file, restored_from: backup, kept, undo: undoCommands(file, kept) };
  } finally {
    await unlock();
  }
}

/** The marker stands while neither database is whole in its place, so that no start goes on without one. */
async function putInPlace(dataDir: string, file: string, backup: string, aside: string): Promise<string[]> {
  const draft = `${file}.restoring`;
  for (const suffix of SUFFIXES) await rm(draft + suffix, { force: true });
  await copyDatabase(backup, draft, false);
  const marked = isMarked(dataDir);
  const before = await readMarker(dataDir);
  const facts = { started_at: before?.started_at ?? Date.now(), invocation: before?.invocation ?? null };
  await mark(dataDir, { ...facts, expects: 'restore' });
  const kept: string[] = [];
  for (const suffix of SUFFIXES) {
    if (!existsSync(file + suffix)) continue;
    await rename(file + suffix, aside + suffix);
    kept.unshift(aside + suffix);
  }
  await rename(draft, file);
  await syncDirectory(dataDir);
  // The run before still ended uncleanly: its marker is not this command's to remove.
  if (marked) await mark(dataDir, { ...facts, expects: 'database' });
  else await unmark(dataDir);
  return kept;
}

/**
 * Shell commands. A log that a later run leaves must not meet the older database; the log's index is
 * made anew by whoever opens it.
 */
function undoCommands(file: string, kept: readonly string[]): string[] {
  const main = kept.find((each) => !/-(wal|shm|journal)$/.test(each));
  if (main === undefined) return [];
  const quote = (name: string): string => `'${name.replaceAll("'", `'\\''`)}'`;
  return ['', '-wal', '-journal'].flatMap((suffix) => {
    if (kept.includes(main + suffix)) return [`mv -f ${quote(main + suffix)} ${quote(file + suffix)}`];
    return suffix === '-wal' ? [`rm -f ${quote(file + suffix)}`] : [];
  });
}

async function lock(dataDir: string): Promise<() => Promise<void>> {
  try {
    return await lockDataDirectory(dataDir);
  } catch (error) {
    if (!(error instanceof DataDirectoryInUse)) throw error;
    throw new OfflineError(
      4,
      'data_dir_in_use',
      'A running SoAI has this database open; nothing was changed.',
      'Stop it first.',
    );
  }
}

const refuseBackup =
  (backup: string) =>
  (error: unknown): never => {
    if (error instanceof SchemaTooNew) throw new OfflineError(4, 'schema_too_new', error.message);
    if (!(error instanceof BadDatabase)) throw error;
    throw new OfflineError(
      1,
      'backup_unusable',
      `${backup} can't be restored: ${error.problem}. Nothing was changed.`,
      'Try an older backup.',
    );
  };
