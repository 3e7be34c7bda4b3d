// The one setting that set-up needs before the server's own loader is built.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * TEMPORAL.ADDRESS, or null. Faults in the file are left to the server, which reports them properly.
 * @param {string[]} args
 * @returns {string | null}
 */
export function configuredTemporalAddress(args) {
  if (process.env.SOAI__TEMPORAL__ADDRESS) return process.env.SOAI__TEMPORAL__ADDRESS;
  const file = settingsFile(args);
  if (!file) return null;
  try {
    const { parse } = createRequire(import.meta.url)('yaml');
    return parse(readFileSync(file, 'utf8'))?.TEMPORAL?.ADDRESS ?? null;
  } catch {
    return null;
  }
}

/** @param {string[]} args */
function settingsFile(args) {
  const flag = args.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  if (flag >= 0) return resolve(args[flag]?.split('=')[1] ?? args[flag + 1] ?? '');
  return [
    process.env.SOAI_CONFIG ?? '',
    resolve('soai.yaml'),
    join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'soai', 'soai.yaml'),
    '/etc/soai/soai.yaml',
  ].find((candidate) => candidate && existsSync(candidate));
}
