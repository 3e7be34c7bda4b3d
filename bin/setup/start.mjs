// `npm start`: set-up, then the server in the foreground.
import { setUp } from './everything.mjs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { runVisibly } from './run.mjs';
import { serve } from './serve.mjs';

/** @param {string[]} args */
export async function start(args) {
  await setUp(args);
  const offline = [inRoot('dist', 'api', 'offline.js'), 'setup', ...args];
  const prepared = await runVisibly(pinnedNode, offline, { cwd: process.cwd(), env: pinnedEnv() });
  return prepared === 0 ? serve(withoutModel(args)) : (prepared ?? 1);
}

/**
 * `--model` is for set-up alone.
 * @param {string[]} args
 */
function withoutModel(args) {
  return args.filter((arg, at) => arg !== '--model' && args[at - 1] !== '--model' && !arg.startsWith('--model='));
}
