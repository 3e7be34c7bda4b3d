import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hostBinaries, thisHost } from './host-binaries';
import { runCommand, type Log } from './run-command';
import { isInstalled, runtimeDirectory, runtimeSources, runtimeVersion } from './runtime-location';

const INSTALL_TIMEOUT_MS = 30 * 60_000;

/**
 * Installs node-llama-cpp into the cache, with the binaries for this host alone. Idempotent, and
 * safe against interruption and against others doing the same: made in a directory of its own and
 * renamed into place when whole.
 *
 * @returns the runtime's directory
 */
export async function installRuntime({ cacheDir, log }: { cacheDir: string; log: Log }): Promise<string> {
  const target = runtimeDirectory(cacheDir);
  const version = runtimeVersion();
  const host = thisHost();
  const binaries = hostBinaries(host);
  if (binaries.length === 0) {
    throw new Error(
      `node-llama-cpp has no binary for ${host.platform}-${host.arch}; use the command plugin with a llama-server of your own`,
    );
  }
  if (isInstalled(target, binaries)) return target;

  log(`installing node-llama-cpp ${version} with ${binaries.join(', ')}`);
  const parent = path.dirname(target);
  await mkdir(parent, { recursive: true });
  const building = await mkdtemp(path.join(parent, `.installing-${version}-`));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(path.join(runtimeSources(), file), path.join(building, file));
    }
    await npm(
      [
        'install',
        '--no-save',
        '--ignore-scripts',
        '--omit=optional',
        '--no-audit',
        '--no-fund',
        ...binaries.map((name) => `${name}@${version}`),
      ],
      building,
      log,
    );
    if (!isInstalled(building, binaries)) throw new Error('npm left the installation incomplete');
    await putInPlace(building, target, () => isInstalled(target, binaries));
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  log(`node-llama-cpp ${version} is installed`);
  return target;
}

/** The npm that runs us if one does; its script needs no shell and no PATH then. */
async function npm(args: readonly string[], cwd: string, log: Log): Promise<void> {
  const { npm_execpath: script } = process.env;
  const [command, first] = script?.endsWith('.js') === true ? [process.execPath, [script]] : ['npm', []];
  await runCommand(command, [...first, ...args], {
    cwd,
    timeoutMs: INSTALL_TIMEOUT_MS,
    progress: { doing: 'installing node-llama-cpp', log },
  });
}

async function putInPlace(building: string, target: string, isWhole: () => boolean): Promise<void> {
  try {
    await rename(building, target);
  } catch (error) {
    // Somebody else was faster; only an incomplete one (made by hand, or for another host) has to go.
    if (isWhole()) return;
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await rename(target, `${building}-replaced`);
    await rename(building, target);
    await rm(`${building}-replaced`, { recursive: true, force: true });
  }
}
