/** Checks of the data directory and the database in it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from '../../config/schema';
import type { Context } from '../context';
import { CliError } from '../exit-code';
import type { OfflineRunner } from '../offline';
import { fail, pass, skip, warn, type Finding } from './finding';

export function checkDataDirectory(dataDir: string): Finding {
  const existing = closestExisting(dataDir);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    const fix = `Give this user write access to ${existing}, or set SYSTEM.PATHS.SYSTEM_DATA to another directory.`;
    return fail('data directory', `${existing} is not writable.`, fix);
  }
  if (existing !== dataDir) return pass('data directory', `${dataDir} will be created at the first start.`);
  const { mode } = statSync(dataDir);
  if ((mode & 0o077) === 0) return pass('data directory', dataDir);
  return warn('data directory', `${dataDir} can be read by other users.`, `chmod 700 ${dataDir}`);
}

/** A2: below the floor every request is refused. */
export async function checkFreeSpace(dataDir: string, settings: Settings): Promise<Finding> {
  const floor = settings.MODELS.ROUTING.MIN_FREE_DISK_BYTES_FOR_ACCEPT;
  const { bavail, bsize } = await statfs(closestExisting(dataDir));
  const free = bavail * bsize;
  const detail = `${gibibytes(free)} free, requests are refused below ${gibibytes(floor)}`;
  const fix = 'Free space on that file system, or lower MODELS.ROUTING.MIN_FREE_DISK_BYTES_FOR_ACCEPT.';
  if (free < floor) return fail('free space', detail, fix);
  return free < 2 * floor ? warn('free space', detail, fix) : pass('free space', detail);
}

/** C4: the marker of a run that has not stopped cleanly, or of the one that runs now. */
export function checkDirtyMarker(dataDir: string, running: boolean): Finding {
  if (!existsSync(join(dataDir, 'soai_process.dirty'))) return pass('last shutdown', 'clean');
  if (running) return pass('last shutdown', 'the server runs now');
  const fix = 'Start SoAI: it checks the database first. Let the check finish; do not power-cycle the host.';
  return warn('last shutdown', 'The last run did not stop cleanly.', fix);
}

/** Opens the database only when it is there and nobody uses it: a look must not create it. */
export async function checkDatabase(
  context: Context,
  dataDir: string,
  settings: Settings,
  running: boolean,
  offline: OfflineRunner,
): Promise<Finding> {
  const sqlite = settings.DATABASE.TYPE === 'sqlite';
  const file = join(dataDir, 'soai.db');
  if (sqlite && !existsSync(file)) {
    if (running) return fail('database', `${file} is gone while the server runs.`, 'Stop SoAI and restore a backup.');
    return pass('database', 'will be created at the first start');
  }
  if (running) return pass('database', sqlite ? `${file}, in use by the server` : 'postgres, in use by the server');
  if (existsSync(join(dataDir, 'soai_process.dirty'))) return skip('database', 'not opened before its check');
  try {
    await offline(context, ['db', 'status']);
    return pass('database', sqlite ? `${file}, migrated` : 'postgres, reachable and migrated');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return fail(
      'database',
      error.message,
      error.hint ?? 'Check DATABASE in the settings, and the log of the last start.',
    );
  }
}

function closestExisting(path: string): string {
  return existsSync(path) ? path : closestExisting(dirname(path));
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
