/** What the embedded server leaves in SYSTEM_DATA: its database, its pin, and who runs it. */
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJson } from './json-file';

const port = z.number().int().min(1).max(65_535);

const pinFile = z.object({
  binary: z.string(),
  /** Server version; the database file is only ever opened by this one. */
  server: z.string(),
  ports: z.object({ grpc: port, ui: port, metrics: port, http: port }),
});
export type Pin = z.infer<typeof pinFile>;

const identity = z.object({ pid: z.number().int(), start: z.string().nullable() });
const runFile = z.object({ owner: identity, child: identity });
export type RunRecord = z.infer<typeof runFile>;

const DATABASE_SUFFIXES = ['', '-wal', '-shm'];

export class TemporalDataDirectory {
  readonly database: string;
  readonly #pin: string;
  readonly #run: string;

  constructor(readonly root: string) {
    this.database = join(root, 'temporal.db');
    this.#pin = join(root, 'temporal.json');
    this.#run = join(root, 'run', 'temporal.json');
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.root, 'run'), { recursive: true, mode: 0o700 });
  }

  readPin(): Promise<Pin | null> {
    return readJson(this.#pin, pinFile);
  }

  writePin(pin: Pin): Promise<void> {
    return writeJson(this.#pin, pin);
  }

  readRun(): Promise<RunRecord | null> {
    return readJson(this.#run, runFile);
  }

  writeRun(record: RunRecord): Promise<void> {
    return writeJson(this.#run, record);
  }

  clearRun(): Promise<void> {
    return rm(this.#run, { force: true });
  }

  /** Moves the database out of the way; the next start makes a new one. Null: there was none. */
  async setDatabaseAside(label: string, now: Date): Promise<string | null> {
    const aside = `${this.database}.${label}-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
    let moved = false;
    for (const suffix of DATABASE_SUFFIXES) {
      moved = (await succeeds(rename(this.database + suffix, aside + suffix))) || moved;
    }
    return moved ? aside : null;
  }

  async hasDatabase(): Promise<boolean> {
    return succeeds(stat(this.database));
  }

  /** The server creates its files by the umask; they hold task ids and are nobody else's business. */
  async restrictDatabase(): Promise<void> {
    await Promise.all(DATABASE_SUFFIXES.map((suffix) => succeeds(chmod(this.database + suffix, 0o600))));
  }
}

/** False when the file is not there. */
async function succeeds(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
