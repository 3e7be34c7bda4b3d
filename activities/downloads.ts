/**
 * Model files fetched in the background, one job each. The database holds where each stands, so a
 * restart goes on with those that were running; what a file has so far lies beside its place.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { DownloadRefused, type ModelFiles } from '../plugins/adapter';
import type { DownloadEnd, DownloadRow } from '../store/records';
import type { Downloads as DownloadStore } from '../store/store';
import { publicPart } from './public-url';

export interface DownloadRequest {
  readonly pluginId: string;
  readonly fileName: string;
  /** Null: the plugin's own small model. */
  readonly url: string | null;
  readonly sha256: string | null;
}

export type Started =
  | { readonly kind: 'started'; readonly row: DownloadRow }
  | { readonly kind: 'file_exists' }
  | { readonly kind: 'running'; readonly row: DownloadRow };

export interface DownloadsOptions {
  readonly store: DownloadStore;
  readonly filesOf: (pluginId: string) => ModelFiles | undefined;
  readonly host: string;
  readonly log: Logger;
  readonly now: () => number;
  /** Resolves after so many ms, or rejects when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Job {
  row: DownloadRow;
  readonly stop: AbortController;
  cancelled: boolean;
  toldAt: number;
  writtenAt: number;
}

/** Connections that break without a byte gained before the job is given up. */
const FRUITLESS_TRIES = 6;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const TELL_EVERY_MS = 500;
const WRITE_EVERY_MS = 2_000;

export class Downloads {
  private readonly jobs = new Map<string, Job>();
  private readonly running = new Set<Promise<void>>();
  private readonly listeners = new Set<(row: DownloadRow) => void>();
  private closed = false;

  constructor(private readonly options: DownloadsOptions) {}

  async start({ pluginId, fileName, url, sha256 }: DownloadRequest, files: ModelFiles): Promise<Started> {
    const { store, now } = this.options;
    const place = this.placeOf(files);
    const same = (row: DownloadRow): boolean => row.fileName.toLowerCase() === fileName.toLowerCase();
    const other = [...this.jobs.values()].map(({ row }) => row).find((row) => row.place === place && same(row));
    if (other) return { kind: 'running', row: other };
    const at = now();
    const row: DownloadRow = {
      id: `download_${randomUUID()}`,
      pluginId,
      fileName,
      place,
      url,
      sha256,
      state: 'running',
      receivedBytes: 0,
      totalBytes: null,
      reason: null,
      sentence: null,
      createdAt: at,
      updatedAt: at,
      finishedAt: null,
    };
    // Holds the name before the first wait, so that two at once don't both get it.
    const job = this.hold(row);
    try {
      if ((await files.list()).some(({ name }) => name.toLowerCase() === fileName.toLowerCase())) {
        this.jobs.delete(row.id);
        return { kind: 'file_exists' };
      }
      await store.add(row);
    } catch (error) {
      this.jobs.delete(row.id);
      throw error;
    }
    this.launch(job, files);
    return { kind: 'started', row };
  }

  /** Newest first, with the progress of those that run here. */
  async list(limit: number): Promise<readonly DownloadRow[]> {
    return (await this.options.store.list(limit)).map((row) => this.current(row));
  }

  async get(id: string): Promise<DownloadRow | null> {
    const row = await this.options.store.get(id);
    return row && this.current(row);
  }

  /** Null: unknown. One that has ended stays as it is. */
  async cancel(id: string): Promise<DownloadRow | null> {
    const { store } = this.options;
    const row = await this.get(id);
    if (row?.state !== 'running') return row;
    await store.end(id, this.ending(row, 'cancelled', 'cancelled_by_user', 'The download was cancelled.'));
    const job = this.jobs.get(id);
    if (job) {
      job.cancelled = true;
      job.stop.abort();
    }
    return store.get(id);
  }

  /** Goes on with what was running here when an earlier process ended. */
  async resume(): Promise<void> {
    const { store, host, filesOf, log } = this.options;
    for (const row of await store.running()) {
      const files = filesOf(row.pluginId);
      if (!row.place.startsWith(`${host}:`) || this.jobs.has(row.id)) continue;
      if (!files) {
        const sentence = `Its plugin '${row.pluginId}' is not there any more.`;
        await store.end(row.id, this.ending(row, 'failed', 'plugin_missing', sentence));
      } else if (this.placeOf(files) === row.place) {
        log.info({ download: row.id, file: row.fileName }, 'going on with a download');
        this.launch(this.hold(row), files);
      }
    }
  }

  /** Ends the work of this process; the jobs stay running in the database. */
  async stop(): Promise<void> {
    this.closed = true;
    for (const { stop } of this.jobs.values()) stop.abort();
    await Promise.all(this.running);
  }

  /** @returns the end of the subscription */
  onChange(listener: (row: DownloadRow) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private placeOf(files: ModelFiles): string {
    return `${this.options.host}:${files.directory}`;
  }

  private current(row: DownloadRow): DownloadRow {
    const job = row.state === 'running' ? this.jobs.get(row.id) : undefined;
    return job ? { ...row, receivedBytes: job.row.receivedBytes, totalBytes: job.row.totalBytes } : row;
  }

  private hold(row: DownloadRow): Job {
    const job: Job = { row, stop: new AbortController(), cancelled: false, toldAt: 0, writtenAt: this.options.now() };
    this.jobs.set(row.id, job);
    return job;
  }

  private launch(job: Job, files: ModelFiles): void {
    const { log } = this.options;
    const work = this.run(job, files)
      .catch((error: unknown) => log.error({ err: error, download: job.row.id }, 'a download could not be recorded'))
      .finally(() => {
        this.jobs.delete(job.row.id);
        this.running.delete(work);
      });
    this.running.add(work);
  }

  private async run(job: Job, files: ModelFiles): Promise<void> {
    const { pause } = this.options;
    for (let fruitless = 0; ;) {
      const before = job.row.receivedBytes;
      const failure = await this.attempt(job, files);
      if (failure === null) return this.end(job, 'completed', null, null);
      if (job.cancelled) return this.afterCancel(job, files);
      if (this.closed) return;
      if (failure instanceof DownloadRefused) return this.end(job, 'failed', failure.code, failure.message);
      fruitless = job.row.receivedBytes > before ? 1 : fruitless + 1;
      if (fruitless >= FRUITLESS_TRIES) return this.end(job, 'failed', 'connection_lost', failure.message);
      await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (fruitless - 1)), job.stop.signal).catch(
        () => undefined,
      );
      if (job.cancelled) return this.afterCancel(job, files);
      if (this.closed) return;
    }
  }

  private async attempt(job: Job, files: ModelFiles): Promise<Error | null> {
    const { fileName: name, url, sha256 } = job.row;
    try {
      await files.download({
        url,
        name,
        sha256,
        signal: job.stop.signal,
        progress: (received, total) => this.progressed(job, received, total),
      });
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private progressed(job: Job, receivedBytes: number, totalBytes: number | null): void {
    const at = this.options.now();
    job.row = { ...job.row, receivedBytes, totalBytes, updatedAt: at };
    if (at - job.toldAt >= TELL_EVERY_MS) {
      job.toldAt = at;
      this.tell(job.row);
    }
    if (at - job.writtenAt < WRITE_EVERY_MS) return;
    job.writtenAt = at;
    this.options.store.progress(job.row.id, receivedBytes, totalBytes, at).then(
      (goesOn) => {
        if (goesOn || !this.jobs.has(job.row.id)) return;
        // Another process was told to cancel it.
        job.cancelled = true;
        job.stop.abort();
      },
      () => undefined, // The next write tells; an outage is reported elsewhere.
    );
  }

  private async afterCancel(job: Job, files: ModelFiles): Promise<void> {
    await files.discard(job.row.fileName);
    await this.end(job, 'cancelled', 'cancelled_by_user', 'The download was cancelled.');
  }

  private async end(
    job: Job,
    state: DownloadEnd['state'],
    reason: string | null,
    sentence: string | null,
  ): Promise<void> {
    const { store, log } = this.options;
    await store.end(job.row.id, this.ending(job.row, state, reason, sentence));
    log.info({ download: job.row.id, file: job.row.fileName, state, reason }, 'a download ended');
    const row = await store.get(job.row.id);
    if (row) this.tell(row);
  }

  private ending(
    row: DownloadRow,
    state: DownloadEnd['state'],
    reason: string | null,
    sentence: string | null,
  ): DownloadEnd {
    const url = row.url === null ? null : publicPart(row.url);
    return { state, url, receivedBytes: row.receivedBytes, reason, sentence, at: this.options.now() };
  }

  private tell(row: DownloadRow): void {
    for (const listener of this.listeners) listener(row);
  }
}
