/**
 * `SYSTEM_DATA/soai_process.dirty` (C4): there from start until a clean stop has finished, so
 * finding it at a start tells that the run before ended without one.
 */
import { existsSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export function markerPath(dataDir: string): string {
  return path.join(dataDir, 'soai_process.dirty');
}

export function isMarked(dataDir: string): boolean {
  return existsSync(markerPath(dataDir));
}

/** Survives a power loss: the file and its directory entry are both synced. */
export async function mark(dataDir: string, startedAt: number): Promise<void> {
  await writeFile(markerPath(dataDir), `${JSON.stringify({ pid: process.pid, started_at: startedAt })}\n`, {
    mode: 0o600,
    flush: true,
  });
  await syncDirectory(dataDir);
}

export async function unmark(dataDir: string): Promise<void> {
  await rm(markerPath(dataDir), { force: true });
  await syncDirectory(dataDir);
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
