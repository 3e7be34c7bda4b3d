/** A Python of our own for the tests that need its packages: a venv in the cache directory, pinned with hashes. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const REQUIREMENTS = join(__dirname, 'requirements.txt');
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'soai');
const PROBE = 'import sys, ensurepip, venv; print(sys.version); sys.exit(sys.version_info < (3, 11))';

/** For `beforeAll`: the first run fetches some 30 packages. */
export const PYTHON_WITHIN_MS = 5 * 60_000;

/** Why there can be no environment, or null; a suite that is skipped says it. */
export function pythonMissing(): string | null {
  const { status, error } = spawnSync('python3', ['-c', PROBE]);
  if (error) return 'python3 is not installed (apt-get install -y python3-venv)';
  return status === 0 ? null : 'python3 is older than 3.11 or lacks venv and pip (apt-get install -y python3-venv)';
}

/** The environment's interpreter, made on first use. */
export async function pythonEnvironment(): Promise<string> {
  const version = spawnSync('python3', ['-c', PROBE], { encoding: 'utf8' }).stdout;
  const wanted = createHash('sha256').update(version).update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16);
  const directory = join(CACHE, 'test-python', wanted);
  const python = join(directory, 'bin/python');
  const complete = join(directory, 'complete');
  if (existsSync(complete)) return python;
  const run = promisify(execFile);
  const options = { timeout: PYTHON_WITHIN_MS };
  await run('python3', ['-m', 'venv', '--clear', directory], options);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--prefer-binary'];
  await run(python, [...install, '--require-hashes', '-r', REQUIREMENTS], options);
  writeFileSync(complete, '');
  return python;
}
