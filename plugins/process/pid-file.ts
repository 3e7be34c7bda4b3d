import { rm, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { startTimeOf } from './identity';
import { signalGroup } from './process-group';

const content = z.object({ pid: z.int().positive(), start: z.string() });

/** How long a killed process may take to go. */
const GONE_MS = 5000;
const LOOK_EVERY_MS = 20;

/** Remembers a child across our own death, so that the next start can end it (fault C16). */
export async function writePidFile(file: string, pid: number): Promise<void> {
  const start = startTimeOf(pid);
  if (start !== null) await writeFile(file, JSON.stringify({ pid, start }), { mode: 0o600 });
}

export async function removePidFile(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Kills the child an earlier run left behind, its whole group. A process that merely has the same
 * id is not touched: its start time differs. Returns the id killed, or null.
 */
export async function killOrphan(file: string): Promise<number | null> {
  const orphan = await readPidFile(file);
  if (orphan === null || startTimeOf(orphan.pid) !== orphan.start) {
    await removePidFile(file);
    return null;
  }
  signalGroup(orphan.pid, 'SIGKILL');
  for (let waited = 0; startTimeOf(orphan.pid) === orphan.start; waited += LOOK_EVERY_MS) {
    if (waited >= GONE_MS) throw new Error(`process ${orphan.pid} of an earlier run can't be killed`);
    await delay(LOOK_EVERY_MS);
  }
  await removePidFile(file);
  return orphan.pid;
}

async function readPidFile(file: string): Promise<z.infer<typeof content> | null> {
  try {
    return content.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // None, or cut off by a crash: then it names nothing we could be sure of.
    return null;
  }
}
