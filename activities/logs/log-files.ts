/**
 * The log store: one set of files a source in SYSTEM_DATA/logs, bounded in size. Lines are collected
 * and written a few times a second, so that a slow disk never holds a request up.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { entryOf, matches, type LogEntry, type LogQuery } from './log-entry';

const WRITE_EVERY_MS = 100;
/** Lines that wait for the disk; beyond them new ones are counted, not kept. */
const MAX_WAITING = 10_000;

export interface LogBounds {
  readonly fileBytes: number;
  /** Older files kept beside the current one. */
  readonly olderFiles: number;
}

const BOUNDS: LogBounds = { fileBytes: 4 * 1024 * 1024, olderFiles: 3 };

export class LogFiles {
  private readonly waiting = new Map<string, string[]>();
  private readonly sizes = new Map<string, number>();
  private readonly listeners = new Set<(entry: LogEntry) => void>();
  private count = 0;
  private dropped = 0;
  private lastMs = 0;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly bounds: LogBounds = BOUNDS,
    private readonly now: () => number = Date.now,
  ) {
    // What waits when the process ends is what says why it did.
    process.once('exit', () => this.writeAtOnce());
  }

  /** One line of pino's. Never throws, never waits. */
  write(line: string): void {
    const time = this.now();
    const entry = entryOf(line, this.nextId(time), time);
    if (!entry) return;
    for (const listener of this.listeners) listener(entry);
    if (this.count >= MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    this.count += 1;
    const lines = this.waiting.get(entry.source);
    if (lines) lines.push(JSON.stringify(entry));
    else this.waiting.set(entry.source, [JSON.stringify(entry)]);
    this.timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** @returns the end of the subscription */
  subscribe(listener: (entry: LogEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async sources(): Promise<string[]> {
    await this.flush();
    const names = await readdir(this.directory).catch(() => []);
    const found = names.flatMap((name) => sourceOf(name) ?? []);
    return [...new Set(['core', ...found])].sort();
  }

  /** Newest first, at most `limit`. */
  async read(source: string, query: LogQuery, limit: number): Promise<LogEntry[]> {
    await this.flush();
    const found: LogEntry[] = [];
    for (let age = 0; age <= this.bounds.olderFiles && found.length < limit; age += 1) {
      const text = await readFile(this.file(source, age), 'utf8').catch(() => '');
      const lines = text.split('\n');
      for (let at = lines.length - 1; at >= 0 && found.length < limit; at -= 1) {
        const entry = parsed(lines[at] ?? '');
        if (entry && matches(entry, query)) found.push(entry);
      }
    }
    return found;
  }

  /** Resolves when everything so far is written, or could not be. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const batch = this.take();
    this.writing = this.writing.then(async () => {
      for (const [source, text] of batch) await this.append(source, text).catch(() => undefined);
    });
    return this.writing;
  }

  private async append(source: string, text: string): Promise<void> {
    const file = this.file(source, 0);
    let size = this.sizes.get(source);
    if (size === undefined) {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      size = await stat(file).then(
        (stats) => stats.size,
        () => 0,
      );
    }
    const bytes = Buffer.byteLength(text);
    if (size > 0 && size + bytes > this.bounds.fileBytes) {
      await this.rotate(source);
      size = 0;
    }
    await appendFile(file, text, { mode: 0o600 });
    this.sizes.set(source, size + bytes);
  }

  private async rotate(source: string): Promise<void> {
    for (let age = this.bounds.olderFiles; age > 0; age -= 1) {
      await rename(this.file(source, age - 1), this.file(source, age)).catch(() => undefined);
    }
  }

  private writeAtOnce(): void {
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      for (const [source, text] of this.take()) appendFileSync(this.file(source, 0), text, { mode: 0o600 });
    } catch {
      // There is nobody left to tell.
    }
  }

  private take(): readonly (readonly [string, string])[] {
    const batch = [...this.waiting].map(([source, lines]) => [source, `${lines.join('\n')}\n`] as const);
    this.waiting.clear();
    this.count = 0;
    if (this.dropped === 0) return batch;
    const note = JSON.stringify({
      level: 'warn',
      msg: `${this.dropped} log lines were not kept: the disk is too slow`,
    });
    this.dropped = 0;
    const time = this.now();
    return [...batch, ['core', `${JSON.stringify(entryOf(note, this.nextId(time), time))}\n`] as const];
  }

  private file(source: string, age: number): string {
    const name = source === 'core' ? 'core' : `plugin-${encodeURIComponent(source.slice('plugin:'.length))}`;
    return path.join(this.directory, age === 0 ? `${name}.jsonl` : `${name}.jsonl.${age}`);
  }

  /** Sorts as text in the order of writing, also when the clock is set back while it runs. */
  private nextId(time: number): string {
    this.lastMs = Math.max(this.lastMs + 0.001, time);
    return this.lastMs.toFixed(3).padStart(18, '0');
  }
}

function sourceOf(file: string): string | null {
  const [, name] = /^plugin-(.+)\.jsonl$/.exec(file) ?? [];
  return name === undefined ? null : `plugin:${decodeURIComponent(name)}`;
}

function parsed(line: string): LogEntry | null {
  if (line === '') return null;
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    // Cut off by a crash.
    return null;
  }
}
