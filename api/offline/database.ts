/** `soai db check|backup|status`: looks at the database and copies it, the server up or down. Never writes to it. */
import { lstatSync, statSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { runCheck } from '../../activities/lifecycle/check-process';
import { holderOf } from '../../activities/lifecycle/data-lock';
import { examineFiles } from '../../activities/lifecycle/database-files';
import { isMarked, readMarker, syncDirectory } from '../../activities/lifecycle/dirty-marker';
import { RECOVERY_GUIDE } from '../../activities/lifecycle/integrity-check';
import { assertReadable, BadDatabase, copyDatabase } from '../../store/backup';
import { databaseFile, openStore } from '../../store/open-store';
import type { DatabaseBackup, DatabaseCheck, DatabaseStatus } from '../contract/offline';
import { databaseOf } from '../database';
import type { OfflineSettings, Say } from './context';
import { OfflineError } from './offline-error';

const CHECK_SCRIPT = path.join(__dirname, '..', '..', 'store', 'quick-check-process.js');

/** C4's check by hand: the same as an unclean start's, whether or not the marker stands. */
export async function checkDatabase(context: OfflineSettings, say: Say): Promise<DatabaseCheck> {
  const file = sqliteFile(context);
  const running = (await holderOf(context.dataDir)) !== null;
  const expects = running ? null : ((await readMarker(context.dataDir))?.expects ?? null);
  const found = examineFiles(file, expects);
  if (found.kind === 'none') throw notFound(file);
  const problems =
    found.kind === 'unusable'
      ? [found.problem]
      : await runCheck({
          file,
          script: CHECK_SCRIPT,
          inUse: running,
          onProgress: ({ percent, seconds }) => say(`checking the database: ${percent} %, ${seconds} s`),
        });
  return { file, sound: problems.length === 0, problems, guide: problems.length === 0 ? null : RECOVERY_GUIDE };
}

/** Consistent while the server writes. Checked before it gets its name, so a file of that name is sound. */
export async function backUp(context: OfflineSettings, target: string, force: boolean): Promise<DatabaseBackup> {
  const source = sqliteFile(context);
  const backup = path.resolve(target);
  if (examineFiles(source, null).kind === 'none') throw notFound(source);
  refuseTarget(backup, source, force);
  const draft = `${backup}.${process.pid}.partial`;
  try {
    await copyDatabase(source, draft, (await holderOf(context.dataDir)) !== null);
    // A link does not replace what came to be there meanwhile; a rename does.
    if (force) await rename(draft, backup);
    else await link(draft, backup).catch(refuseExisting(backup));
    await syncDirectory(path.dirname(backup));
  } catch (error) {
    throw asDamage(error, source);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(draft + suffix, { force: true });
  }
  return { file: source, backup, bytes: statSync(backup).size, checked: true };
}

/** What is there. An unclean database is not opened: only its check may be the first to. */
export async function databaseStatus({ settings, dataDir }: OfflineSettings): Promise<DatabaseStatus> {
  const unclean = isMarked(dataDir);
  const serverPid = await holderOf(dataDir);
  const common = { data_dir: dataDir, unclean: unclean && serverPid === null, server_pid: serverPid };
  if (settings.DATABASE.TYPE === 'postgres') {
    const store = await openStore({ database: databaseOf(settings), dataDir });
    await store.close();
    return { database: 'postgres', file: null, bytes: null, log_bytes: null, ...common };
  }
  const file = databaseFile(dataDir);
  const bytes = sizeOf(file);
  if (bytes === null) throw notFound(file);
  if (!common.unclean) await assertReadable(file, serverPid !== null);
  return { database: 'sqlite', file, bytes, log_bytes: sizeOf(`${file}-wal`), ...common };
}

export function sqliteFile({ settings, dataDir }: OfflineSettings): string {
  if (settings.DATABASE.TYPE === 'sqlite') return databaseFile(dataDir);
  throw new OfflineError(
    4,
    'not_sqlite',
    'The database is PostgreSQL: its server checks, backs up and restores it.',
    'Back it up with pg_dump and restore it with pg_restore.',
  );
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function notFound(file: string): OfflineError {
  return new OfflineError(5, 'database_not_found', `There is no database ${file} yet.`, 'The first start makes it.');
}

function refuseTarget(backup: string, source: string, force: boolean): void {
  const own = ['', '-wal', '-shm', '-journal'].map((suffix) => path.resolve(source + suffix));
  if (own.includes(backup)) {
    throw new OfflineError(2, 'invalid_target', 'A backup can not be put over the database itself.');
  }
  const there = lstatSync(backup, { throwIfNoEntry: false });
  if (there?.isDirectory()) {
    throw new OfflineError(2, 'invalid_target', `${backup} is a directory.`, 'Name the file to write.');
  }
  if (there && !force) refuseExisting(backup)({ code: 'EEXIST' });
}

const refuseExisting =
  (backup: string) =>
  (error: unknown): never => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new OfflineError(
      4,
      'file_exists',
      `${backup} exists already; nothing was written.`,
      'Name another file, or replace this one with --force.',
    );
  };

function asDamage(error: unknown, source: string): unknown {
  const damaged = error instanceof BadDatabase || /SQLITE_(CORRUPT|NOTADB)/.test(String(error));
  if (!damaged) return error;
  const hint = `soai db check says what is wrong; ${RECOVERY_GUIDE} leads you out, step by step.`;
  return new OfflineError(1, 'database_damaged', `${source} is damaged, so it can't be backed up.`, hint);
}
