// npm packages by the lock file, and the pinned Node. No install script runs but those named here.
import { existsSync, readFileSync } from 'node:fs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { note, step } from './progress.mjs';
import { CommandFailed, run } from './run.mjs';
import { SetupError } from './setup-error.mjs';
import { hashOf, isCurrent, writeStamp } from './stamp.mjs';

const stampFile = inRoot('node_modules', '.soai', 'dependencies');

export async function installDependencies() {
  const hash = hashOf([inRoot('package-lock.json')]);
  if (isCurrent(stampFile, hash) && existsSync(pinnedNode)) return;
  if (!matchesLock()) await installPackages();
  await installPinnedNode();
  writeStamp(stampFile, hash);
}

/** What npm put down is what the lock file says: a developer's own `npm install` is not thrown away. */
function matchesLock() {
  const wanted = packagesIn(inRoot('package-lock.json'));
  const present = packagesIn(inRoot('node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(
    ([path, { version, optional, peer }]) =>
      path === '' || (present[path] ? present[path].version === version : optional || peer),
  );
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean, peer?: boolean }> | null}
 */
function packagesIn(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return null;
  }
}

async function installPackages() {
  // Each package is asked for twice: what versions it has, and the package itself.
  const total = 2 * Object.keys(packagesIn(inRoot('package-lock.json')) ?? {}).length;
  let fetched = 0;
  await step('Installing npm packages', async (tell) => {
    try {
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'http'], {
        onLine(line) {
          if (/http (fetch|cache)/.test(line)) tell(`${(fetched += 1)} of about ${total} requests`);
        },
      });
    } catch (error) {
      throw new SetupError(
        `npm ci failed:\n${error instanceof CommandFailed ? firstErrors(error.lines) : error}`,
        'Check that the npm registry is reachable ("npm ping"), then run the command again: what was fetched is kept.',
      );
    }
  });
}

/**
 * npm says what is wrong first, and how it is used at length after that.
 * @param {string[]} lines
 */
function firstErrors(lines) {
  const errors = lines.filter((line) => /^npm (error|ERR!) \S/.test(line));
  return (errors.length > 0 ? errors.slice(0, 8) : lines.slice(-8)).join('\n');
}

async function installPinnedNode() {
  const installer = inRoot('node_modules', 'node', 'installArchSpecificPackage.js');
  const { version } = JSON.parse(readFileSync(inRoot('node_modules', 'node', 'package.json'), 'utf8'));
  if (!existsSync(pinnedNode)) {
    await step(`Installing Node ${version} for this checkout`, async () => {
      await run(process.execPath, [installer], { cwd: inRoot('node_modules', 'node') }).catch(() => undefined);
    });
  }
  try {
    const actual = (await run(pinnedNode, ['--version'], { env: pinnedEnv() })).trim();
    if (actual !== `v${version}`) note(`node_modules/node is ${actual}, expected v${version}`);
  } catch {
    throw new SetupError(
      `Node ${version} could not be installed for ${process.platform}-${process.arch}`,
      'Check that the npm registry is reachable. Linux needs glibc (Alpine is not supported).',
    );
  }
}
