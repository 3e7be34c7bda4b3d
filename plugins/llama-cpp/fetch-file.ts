/** One try to download a file, going on where an earlier one stopped. */
import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DownloadRefused } from '../adapter';

export interface FetchedFile {
  readonly url: string;
  /** Until the file is whole; beside it `<partial>.version` names the version it is a part of. */
  readonly partial: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** A GET that follows redirects as it may. */
  readonly get: (url: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  progress(received: number, total: number | null): void;
  /** Rejects when so many more bytes have no place. */
  room?(bytes: number): Promise<void>;
}

/** A download that stalls this long is given up; the next try resumes it. */
const STALL_MS = 60_000;
const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

export const versionFileOf = (partial: string): string => `${partial}.version`;

/** Resolves when `partial` is the whole file. */
export async function fetchFile({ url, partial, maxBytes, signal, get, progress, room }: FetchedFile): Promise<void> {
  const version = await readFile(versionFileOf(partial), 'utf8').catch(() => null);
  // Without its version nothing is resumed: it could be another file by now.
  const have = version === null ? 0 : await sizeOf(partial);
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(new Error(`nothing arrived for ${STALL_MS / 1000} s`)), STALL_MS);
  try {
    const wanted: Record<string, string> =
      version !== null && have > 0 ? { range: `bytes=${have}-`, 'if-range': version } : {};
    const response = await get(url, wanted, AbortSignal.any([signal, stalled.signal]));
    if (response.status === 416) {
      await rm(partial, { force: true });
      throw new Error('the server has no more of the file; the partial download was removed, try again');
    }
    if (!response.ok || response.body === null) throw statusProblem(response.status);
    const resumed = response.status === 206;
    const body = response.body;
    if (!resumed) await rememberVersion(versionFileOf(partial), response.headers);
    let received = resumed ? have : 0;
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(length) ? received + length : null;
    if (total !== null && total > maxBytes) {
      throw new DownloadRefused(`the file has ${mib(total)}, the limit is ${mib(maxBytes)}`);
    }
    if (total !== null) await room?.(total - received);
    progress(received, total);
    // What has arrived is written also when the connection breaks, so that it need not come again.
    let broken: Error | null = null;
    await pipeline(
      async function* () {
        try {
          for await (const chunk of Readable.fromWeb(body)) {
            stall.refresh();
            received += (chunk as Uint8Array).length;
            if (received > maxBytes) throw new DownloadRefused(`the file is larger than the limit of ${mib(maxBytes)}`);
            progress(received, total);
            yield chunk as Uint8Array;
          }
        } catch (error) {
          broken = error instanceof Error ? error : new Error(String(error));
        }
      },
      createWriteStream(partial, { flags: resumed ? 'a' : 'w' }),
    );
    if (broken) throw broken as Error;
    if (total !== null && received !== total) throw new Error(`the connection ended after ${mib(received)}`);
  } finally {
    clearTimeout(stall);
    // Lets go of the connection where the body was not wanted.
    stalled.abort();
  }
}

function statusProblem(status: number): Error {
  const message = `the server answered ${status}`;
  const passing = status >= 500 || status === 408 || status === 429;
  return passing ? new Error(message) : new DownloadRefused(message);
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** A strong entity tag is the only thing `if-range` can trust. */
async function rememberVersion(versionFile: string, headers: Headers): Promise<void> {
  const etag = headers.get('etag');
  if (etag !== null && !etag.startsWith('W/')) await writeFile(versionFile, etag);
  else await rm(versionFile, { force: true });
}
