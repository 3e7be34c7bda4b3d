/**
 * `SYSTEM_DATA/soai_process.dirty` (C4): there from start until a clean stop has finished, so
 * finding it at a start tells that the run before ended without one.
 */
import { existsSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readJson } from '../temporal-server/json-file';

/**
 * What a crash must have left behind, whenever it came. SQLite takes a missing or an empty file for a
 * new database and a missing log for an empty one, so only this tells that something went.
 */
const expected = z.enum(['nothing', 'database', 'database_and_log', 'restore']);

const marker = z.object({
  pid: z.number(),
  started_at: z.number(),
  expects: expected,
  /** systemd's name for that run of the service, or null. */
  invocation: z.string().nullable(),
});

export type Expected = z.infer<typeof expected>;
export type Marker = z.infer<typeof marker>;

export function markerPath(dataDir: string): string {
  return path.join(dataDir, 'soai_process.dirty');
}

export function isMarked(dataDir: string): boolean {
  return existsSync(markerPath(dataDir));
}

/** null: there is none, or one that says nothing (a torn write, or another version's). */
export function readMarker(dataDir: string): Promise<Marker | null> {
  return readJson(markerPath(dataDir), marker);
}

/** Survives a power loss: the file and its directory entry are both synced. Replaces a marker whole. */
export async function mark(dataDir: string, facts: Omit<Marker, 'pid'>): Promise<void> {
  const draft = `${markerPath(dataDir)}.new`;
  const content: Marker = { pid: process.pid, ...facts };
  await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  await rename(draft, markerPath(dataDir));
  await syncDirectory(dataDir);
}

export async function unmark(dataDir: string): Promise<void> {
  await rm(markerPath(dataDir), { force: true });
  await syncDirectory(dataDir);
}

export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
