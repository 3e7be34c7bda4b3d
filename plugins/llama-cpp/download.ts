import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Log } from './run-command';

const PROGRESS_EVERY_MS = 5_000;
/** A download that stalls this long is given up; the next try resumes it. */
const STALL_MS = 60_000;

const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

/**
 * Downloads a file, going on where an earlier try stopped. The finished file appears under its name
 * in one step; until then it is `<target>.part`.
 */
export async function download(url: string, target: string, maxBytes: number, log: Log): Promise<void> {
  const partial = `${target}.part`;
  // Names the version of the file that the partial one is of; without it, nothing is resumed.
  const versionFile = `${partial}.version`;
  const version = await readFile(versionFile, 'utf8').catch(() => null);
  const have =
    version === null
      ? 0
      : await stat(partial).then(
          ({ size }) => size,
          () => 0,
        );
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(new Error(`nothing arrived for ${STALL_MS / 1000} s`)), STALL_MS);
  try {
    const response = await fetch(url, {
      headers: version !== null && have > 0 ? { range: `bytes=${have}-`, 'if-range': version } : {},
      signal: stalled.signal,
    });
    if (response.status === 416) {
      await rm(partial, { force: true });
      throw new Error('the server has no more of the file; the partial download was removed, try again');
    }
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const resumed = response.status === 206;
    if (!resumed) await rememberVersion(versionFile, response.headers);
    let received = resumed ? have : 0;
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(length) ? received + length : null;
    if (total !== null && total > maxBytes)
      throw new Error(`the file has ${mib(total)}, the limit is ${mib(maxBytes)}`);

    let lastTold = performance.now();
    await pipeline(
      response.body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          stall.refresh();
          received += chunk.length;
          if (received > maxBytes) throw new Error(`the file is larger than the limit of ${mib(maxBytes)}`);
          if (performance.now() - lastTold >= PROGRESS_EVERY_MS) {
            lastTold = performance.now();
            log(`downloading: ${mib(received)}${total === null ? '' : ` of ${mib(total)}`}`);
          }
          yield chunk;
        }
      },
      createWriteStream(partial, { flags: resumed ? 'a' : 'w' }),
    );
    if (total !== null && received !== total)
      throw new Error(`the connection ended after ${mib(received)}; try again to resume`);
  } finally {
    clearTimeout(stall);
    // Lets go of the connection where the body was not wanted.
    stalled.abort();
  }
  await rename(partial, target);
  await rm(versionFile, { force: true });
}

/** A strong entity tag is the only thing `if-range` can trust. */
async function rememberVersion(versionFile: string, headers: Headers): Promise<void> {
  const etag = headers.get('etag');
  if (etag !== null && !etag.startsWith('W/')) await writeFile(versionFile, etag);
  else await rm(versionFile, { force: true });
}
