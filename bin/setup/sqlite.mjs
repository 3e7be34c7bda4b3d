// sqlite3's native module: a prebuilt one where it can be downloaded, else compiled once per machine.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir, inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';
import { SetupError } from './setup-error.mjs';
import { which } from './which.mjs';

/** The download is 2 MB: longer than this means that there is no way out to the network. */
const DOWNLOAD_TIMEOUT_MS = 20_000;
const TOOLS = ['python3', 'make', 'c++'];

const packageDir = inRoot('node_modules', 'sqlite3');
const binary = join(packageDir, 'build', 'Release', 'node_sqlite3.node');

export async function installSqlite() {
  if (existsSync(binary)) return;
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const cached = join(cacheDir, 'sqlite3', `${version}-${process.platform}-${process.arch}-napi`, 'node_sqlite3.node');
  if (existsSync(cached)) {
    copy(cached, binary);
    if (await loads()) return;
  }
  if (!(await download())) await compile();
  if (!(await loads())) {
    throw new SetupError('the native module of sqlite3 does not load', `Delete ${packageDir} and run this again.`);
  }
  copy(binary, cached);
}

async function loads() {
  const script = 'require("sqlite3")';
  return run(pinnedNode, ['-e', script], { env: pinnedEnv() }).then(
    () => true,
    () => false,
  );
}

async function download() {
  return step('Looking for a prebuilt sqlite3', async () => {
    try {
      const installer = inRoot('node_modules', 'prebuild-install', 'bin.js');
      await run(pinnedNode, [installer, '-r', 'napi'], {
        cwd: packageDir,
        env: pinnedEnv(),
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
      });
      return await loads();
    } catch {
      return false;
    }
  });
}

async function compile() {
  const missing = TOOLS.filter((tool) => !which(tool));
  if (missing.length > 0) {
    throw new SetupError(
      `sqlite3 has no prebuilt module here and must be compiled, but ${missing.join(', ')} is missing`,
      'On Debian or Ubuntu: apt-get install -y build-essential python3',
    );
  }
  await step('Compiling sqlite3 (2 to 6 minutes, once per machine)', async (tell) => {
    const gyp = inRoot('node_modules', 'node-gyp', 'bin', 'node-gyp.js');
    try {
      await run(pinnedNode, [gyp, 'rebuild', '--jobs', 'max'], {
        cwd: packageDir,
        env: { ...pinnedEnv(), ...headers() },
        onLine: (line) => /^ +(ACTION|CC|CXX|SOLINK)/.test(line) && tell(line.trim()),
      });
    } catch (error) {
      throw new SetupError(
        `sqlite3 did not compile: ${error instanceof Error ? error.message : error}`,
        'A C++17 compiler, make and Python 3.8 or newer are needed; the lines above say what went wrong.',
      );
    }
  });
}

/**
 * Node-API headers are the same for every Node: those that came with the pinned one (npm prunes them
 * at its next run) or with the system's are used before any are downloaded.
 */
function headers() {
  const target = `${process.platform}-${process.arch}`;
  const nodePackages = inRoot('node_modules', 'node', 'node_modules');
  const dir = [
    join(nodePackages, `node-${target}`),
    join(nodePackages, `node-bin-${target}`),
    process.env.npm_config_nodedir ?? '',
    dirname(dirname(process.execPath)),
    '/usr',
  ].find((candidate) => candidate && existsSync(join(candidate, 'include', 'node', 'node_api.h')));
  return dir ? { npm_config_nodedir: dir } : {};
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, `${to}.${process.pid}`);
  renameSync(`${to}.${process.pid}`, to);
}
