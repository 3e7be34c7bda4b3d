/** Finds the settings file (spec J). */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { xdg } from './paths';

export interface Discovery {
  /** Absolute path of the file to read; null: none was found, so the defaults apply. */
  readonly file: string | null;
  /** What named the file, for the message when it is not there; null when it was found by search. */
  readonly namedBy: '--config' | 'SOAI_CONFIG' | null;
  /** Every place looked at, in order. */
  readonly searched: readonly string[];
}

export function discoverSettingsFile(
  config: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Discovery {
  if (config !== undefined) return named(resolve(cwd, config), '--config');
  if (env.SOAI_CONFIG) return named(resolve(cwd, env.SOAI_CONFIG), 'SOAI_CONFIG');
  const searched = [
    join(cwd, 'soai.yaml'),
    join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'soai', 'soai.yaml'),
    '/etc/soai/soai.yaml',
  ];
  return { file: searched.find((candidate) => existsSync(candidate)) ?? null, namedBy: null, searched };
}

function named(file: string, namedBy: '--config' | 'SOAI_CONFIG'): Discovery {
  return { file, namedBy, searched: [file] };
}
