/** Free bytes of the file system that holds SYSTEM_DATA, read at most once a second (A2). */
import { statfs } from 'node:fs/promises';

const FRESH_MS = 1_000;

export class DiskSpace {
  private last = { at: -Infinity, free: null as number | null };
  private reading: Promise<number | null> | null = null;

  constructor(
    private readonly dir: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get lastFreeBytes(): number | null {
    return this.last.free;
  }

  /** Null when the file system would not say. */
  async freeBytes(): Promise<number | null> {
    if (this.now() - this.last.at < FRESH_MS) return this.last.free;
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<number | null> {
    const free = await statfs(this.dir).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => null,
    );
    this.last = { at: this.now(), free };
    return free;
  }
}
