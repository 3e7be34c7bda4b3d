// `npm run bench`: set-up, then the compiled benchmark.
import { ROOMS, buildStep } from './build.mjs';
import { setUp } from './everything.mjs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { run, runVisibly } from './run.mjs';

/** @param {string[]} args */
export async function bench(args) {
  await setUp();
  const what = {
    title: 'Compiling the benchmark',
    stamp: 'bench',
    inputs: [...ROOMS, 'test', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.bench.json'],
    output: 'dist/test/bench/main.js',
    tolerant: false,
    remedy: 'The compiler says above what is wrong in the source.',
  };
  await buildStep(what, () =>
    run(pinnedNode, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.bench.json'], {
      env: pinnedEnv(),
    }),
  );
  return runVisibly(pinnedNode, [inRoot('dist', 'test', 'bench', 'main.js'), ...args], { env: pinnedEnv() });
}
