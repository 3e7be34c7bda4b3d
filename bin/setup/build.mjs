// Compiles what changed: the server, the workflow bundle, the WebUI.
import { existsSync } from 'node:fs';
import { copyAssets, pruneOutputs } from './outputs.mjs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';
import { SetupError } from './setup-error.mjs';
import { hashOf, isCurrent, writeStamp } from './stamp.mjs';

export const ROOMS = ['config', 'workflows', 'store', 'plugins', 'activities', 'api', 'cli'];
const COMPILERS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * @param {{ tolerant: boolean }} options tolerant: go on with what could be built
 * @returns {Promise<string[]>} what could not
 */
export async function build(options) {
  const server = await buildServer(options);
  const others = await Promise.all([bundleWorkflows(options), buildWeb(options)]);
  return [server, ...others].filter((fault) => fault !== null);
}

/**
 * @param {{ title: string, stamp: string, inputs: string[], output: string, tolerant: boolean, remedy: string }} what
 * @param {(tell: (detail: string) => void) => Promise<unknown>} work
 * @returns {Promise<string | null>} the fault, where that is tolerated
 */
export async function buildStep(what, work) {
  const stampFile = inRoot('dist', '.stamps', what.stamp);
  const hash = hashOf(what.inputs.map((input) => inRoot(input)));
  if (isCurrent(stampFile, hash) && existsSync(inRoot(what.output))) return null;
  try {
    await step(what.title, work);
    writeStamp(stampFile, hash);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!what.tolerant) throw new SetupError(message, what.remedy);
    return `${what.title}: ${message}`;
  }
}

/** @param {{ tolerant: boolean }} options */
function buildServer({ tolerant }) {
  const what = {
    title: 'Compiling the server',
    stamp: 'server',
    inputs: [...ROOMS, ...COMPILERS],
    output: 'dist/api',
    tolerant,
    remedy: 'The compiler says above what is wrong in the source.',
  };
  return buildStep(what, async () => {
    pruneOutputs(ROOMS);
    copyAssets(ROOMS);
    await run(pinnedNode, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
      env: pinnedEnv(),
    });
  });
}

/** @param {{ tolerant: boolean }} options */
function bundleWorkflows({ tolerant }) {
  const what = {
    title: 'Bundling the workflows',
    stamp: 'workflows',
    inputs: ['workflows', 'bin/setup/bundle-workflows.mjs', ...COMPILERS],
    output: 'dist/workflow-bundle.js',
    tolerant,
    remedy: 'Workflows may import no Node module and nothing that does; the bundler says above which one it met.',
  };
  return buildStep(what, () => run(pinnedNode, [inRoot('bin', 'setup', 'bundle-workflows.mjs')], { env: pinnedEnv() }));
}

/** @param {{ tolerant: boolean }} options */
function buildWeb({ tolerant }) {
  const what = {
    title: 'Building the WebUI',
    stamp: 'web',
    inputs: ['web', 'api/contract', ...COMPILERS],
    output: 'dist/web/browser/index.html',
    tolerant,
    remedy: 'The Angular compiler says above what is wrong in web/.',
  };
  return buildStep(what, () =>
    run(pinnedNode, [inRoot('node_modules', '@angular', 'cli', 'bin', 'ng.js'), 'build'], {
      cwd: inRoot('web'),
      env: { ...pinnedEnv(), NG_CLI_ANALYTICS: 'false', CI: 'true' },
    }),
  );
}
