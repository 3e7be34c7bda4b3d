import { rename, rm } from 'node:fs/promises';
import { fetchFile, versionFileOf } from './fetch-file';
import type { Log } from './run-command';

const PROGRESS_EVERY_MS = 5_000;

const mib = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

/**
 * Downloads a file for the person at the terminal, going on where an earlier try stopped. The
 * finished file appears under its name in one step; until then it is `<target>.part`.
 */
export async function download(url: string, target: string, maxBytes: number, log: Log): Promise<void> {
  const partial = `${target}.part`;
  let lastTold = performance.now();
  await fetchFile({
    url,
    partial,
    maxBytes,
    signal: new AbortController().signal,
    get: (from, headers, signal) => fetch(from, { headers, signal }),
    progress(received, total) {
      if (performance.now() - lastTold < PROGRESS_EVERY_MS) return;
      lastTold = performance.now();
      log(`downloading: ${mib(received)}${total === null ? '' : ` of ${mib(total)}`}`);
    },
  });
  await rename(partial, target);
  await rm(versionFileOf(partial), { force: true });
}
