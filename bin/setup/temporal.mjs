// The Temporal server: configured → PATH → cache → Go's bin directory → built with Go → downloaded by the SDK.
import { mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cacheDir, inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { note, step } from './progress.mjs';
import { run } from './run.mjs';
import { configuredTemporalAddress } from './settings-file.mjs';
import { which } from './which.mjs';

const MODULE = 'github.com/temporalio/cli/cmd/temporal';
const DOWNLOAD_TIMEOUT_MS = 300_000;

/**
 * Never fails: without a server everything but inference works, and `start` says so again.
 * @param {string[]} args
 */
export async function obtainTemporal(args) {
  if (configuredTemporalAddress(args)) return;
  // The server's own search, so that set-up and run time never disagree.
  const search = createRequire(import.meta.url)(inRoot('dist', 'activities', 'temporal-server', 'binary.js'));
  if (await search.findTemporalBinary({ cacheDir })) return;
  const target = search.cachedBinaryPath(cacheDir);
  const release = `v${search.PINNED_CLI}`;
  if (which('go') && (await built(target, release))) return;
  if (await downloaded(target, release)) return;
  note(
    'Temporal is missing: requests cannot run without it. Any one of these mends it:\n' +
      '    install Go (apt-get install golang, or go.dev) and run "npm run setup" again;\n' +
      '    install the Temporal CLI so that "temporal" is on PATH;\n' +
      '    set TEMPORAL.ADDRESS to a Temporal server that is already running.',
  );
}

/** @param {string} target @param {string} release */
async function built(target, release) {
  let modules = 0;
  let packages = 0;
  try {
    await step(`Building Temporal ${release} with Go (3 to 9 minutes, once per machine)`, async (tell) => {
      const workshop = join(dirname(target), `build-${process.pid}`);
      mkdirSync(workshop, { recursive: true });
      await run('go', ['install', '-v', `${MODULE}@${release}`], {
        env: { ...process.env, GOBIN: workshop, GOFLAGS: '-buildvcs=false' },
        onLine(line) {
          if (line.startsWith('go: downloading')) modules += 1;
          else packages += 1;
          tell(`${modules} modules downloaded, ${packages} packages compiled`);
        },
      });
      renameSync(join(workshop, 'temporal'), target);
    });
    return true;
  } catch (error) {
    note(`Temporal could not be built: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** @param {string} target @param {string} release */
async function downloaded(target, release) {
  try {
    await step(`Downloading Temporal ${release}`, () =>
      run(pinnedNode, [inRoot('bin', 'setup', 'download-temporal.mjs'), target, release], {
        env: pinnedEnv(),
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
      }),
    );
    return true;
  } catch {
    return false;
  }
}
