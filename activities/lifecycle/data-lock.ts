/**
 * One SoAI process a data directory: `SYSTEM_DATA/run/lock` names the holder by pid and start time,
 * so a crashed holder's lock is recognised as dead and replaced.
 */
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readJson } from '../temporal-server/json-file';
import { identify, isAlive } from '../temporal-server/process-identity';

const holder = z.object({ pid: z.number(), start: z.string().nullable() });

export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';

  constructor(dataDir: string, pid: number) {
    super(
      `${dataDir} is in use by a running SoAI (process ${pid}). Stop that one first, or give this one a data directory of its own (SYSTEM.PATHS.SYSTEM_DATA).`,
    );
  }
}

/** Takes the lock or throws DataDirectoryInUse. Returns how to give it back. */
export async function lockDataDirectory(dataDir: string): Promise<() => Promise<void>> {
  const runDir = path.join(dataDir, 'run');
  await mkdir(runDir, { recursive: true, mode: 0o700 });
  const file = path.join(runDir, 'lock');
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    // A hard link appears whole or not at all, and fails when the name is taken.
    while (!(await linked(draft, file))) await clearDead(file, dataDir);
  } finally {
    await rm(draft, { force: true });
  }
  return () => rm(file, { force: true });
}

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function clearDead(file: string, dataDir: string): Promise<void> {
  refuseIfAlive(await readJson(file, holder), dataDir);
  const aside = `${file}.${process.pid}.dead`;
  await rename(file, aside).catch(() => undefined);
  // Another starter may have taken the lock between the look and the move: give it back to them.
  const moved = await readJson(aside, holder);
  if (moved && isAlive(moved)) await linked(aside, file);
  await rm(aside, { force: true });
  refuseIfAlive(moved, dataDir);
}

function refuseIfAlive(other: z.infer<typeof holder> | null, dataDir: string): void {
  if (other && isAlive(other)) throw new DataDirectoryInUse(dataDir, other.pid);
}

/** The living holder's pid, or null. */
export async function holderOf(dataDir: string): Promise<number | null> {
  const other = await readJson(path.join(dataDir, 'run', 'lock'), holder);
  return other && isAlive(other) ? other.pid : null;
}
