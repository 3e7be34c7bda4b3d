/**
 * Finds a `temporal` executable that can be the embedded server. Uses Node's built-ins only, since
 * the set-up asks it before anything else is in place.
 */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The CLI release that set-up builds, and the server inside it. */
export const PINNED_CLI = '1.5.1';
export const PINNED_SERVER = '1.29.1';

/** The dynamic-config keys of `command-line.ts` were measured from this server on. */
const OLDEST_SERVER = '1.29.0';

export interface TemporalBinary {
  readonly path: string;
  /** Version of the server inside, e.g. `1.29.1`. */
  readonly server: string;
}

export interface BinarySearch {
  /** Default `$XDG_CACHE_HOME/soai`. */
  readonly cacheDir?: string;
  /** The one that this data directory was used with; first choice while it is still there. */
  readonly remembered?: TemporalBinary | null;
  readonly env?: NodeJS.ProcessEnv;
  /** TEMPORAL.BINARY: this one and no other. */
  readonly chosen?: string | null;
}

export class TemporalNotFound extends Error {
  override readonly name = 'TemporalNotFound';

  constructor(chosen: string | null = null) {
    super(
      chosen !== null
        ? `TEMPORAL.BINARY (${chosen}) is no usable "temporal" executable with server ${OLDEST_SERVER} or newer.`
        : `no usable "temporal" executable (server ${OLDEST_SERVER} or newer) on PATH, in the cache or in Go's bin directory. ` +
            'Install the Temporal CLI, or install Go and run "npm run setup", or set TEMPORAL.ADDRESS to a running server.',
    );
  }
}

export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'soai');
}

/** Where set-up keeps the executable it built. */
export function cachedBinaryPath(cacheDir: string): string {
  return join(cacheDir, 'temporal', `v${PINNED_CLI}`, process.platform === 'win32' ? 'temporal.exe' : 'temporal');
}

/** The chosen one, else in this order: remembered → PATH → cache → Go's bin directory (the pinned release only). */
export async function findTemporalBinary(search: BinarySearch = {}): Promise<TemporalBinary | null> {
  const env = search.env ?? process.env;
  const { remembered, chosen } = search;
  if (chosen) {
    const server = await serverVersion(chosen);
    return server !== null && isAtLeast(server, OLDEST_SERVER) ? { path: chosen, server } : null;
  }
  if (remembered && (await serverVersion(remembered.path)) === remembered.server) return remembered;
  const anywhere = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const goBin = [env['GOBIN'], join((env['GOPATH'] || join(homedir(), 'go')).split(delimiter)[0]!, 'bin')];
  const candidates = [
    ...anywhere.map((dir) => ({ path: join(dir, 'temporal'), pinned: false })),
    { path: cachedBinaryPath(search.cacheDir ?? defaultCacheDir(env)), pinned: true },
    ...goBin.flatMap((dir) => (dir ? [{ path: join(dir, 'temporal'), pinned: true }] : [])),
  ];
  for (const { path, pinned } of candidates) {
    const server = await serverVersion(path);
    if (server && (pinned ? server === PINNED_SERVER : isAtLeast(server, OLDEST_SERVER))) return { path, server };
  }
  return null;
}

/** The version of the server in this executable, or null when it is none or does not run here. */
export async function serverVersion(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    return /\bServer (\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

function isAtLeast(version: string, floor: string): boolean {
  return version.localeCompare(floor, 'en', { numeric: true }) >= 0;
}
