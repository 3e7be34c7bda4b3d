/** Where SoAI keeps data and re-creatable caches (XDG base directories). */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Settings } from './schema';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * SYSTEM_DATA as an absolute path. `base` is what a relative one counts from: `loadSettings` has
 * resolved it already, against the settings file.
 */
export function dataDir(settings: Settings, env: Environment = process.env, base = process.cwd()): string {
  const configured = settings.SYSTEM.PATHS.SYSTEM_DATA;
  if (configured === null) return join(xdg(env, 'XDG_DATA_HOME', '.local/share'), 'soai');
  return resolve(base, expandHome(configured, env));
}

/** `~/x`, which no shell has expanded in a settings file. */
export function expandHome(path: string, env: Environment): string {
  return path === '~' || path.startsWith('~/') ? join(env.HOME || homedir(), path.slice(1)) : path;
}

/** Downloads and builds shared by every checkout and data directory of this OS user. */
export function cacheDir(env: Environment = process.env): string {
  return join(xdg(env, 'XDG_CACHE_HOME', '.cache'), 'soai');
}

/** The XDG specification: a relative value is to be ignored. */
export function xdg(env: Environment, name: string, fallback: string): string {
  const value = env[name];
  return value && isAbsolute(value) ? value : join(env.HOME || homedir(), fallback);
}
