// `npm start`: set-up, then the server in the foreground.
import { spawn } from 'node:child_process';
import { setUp } from './everything.mjs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { runVisibly } from './run.mjs';

/** A terminal's Ctrl-C reaches us directly and once more through npm: that is one wish, not two. */
const SAME_WISH_MS = 300;

/** @param {string[]} args */
export async function start(args) {
  await setUp(args);
  const offline = [inRoot('dist', 'api', 'offline.js'), 'setup', ...args];
  const prepared = await runVisibly(pinnedNode, offline, { cwd: process.cwd(), env: pinnedEnv() });
  return prepared === 0 ? serve(withoutModel(args)) : prepared;
}

/**
 * The server gets a session of its own, so that signals reach it only through us and a wish to stop
 * arrives once. It holds the other end of an IPC channel and stops when we are gone, however we went
 * (`stop-with-parent.mjs`).
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function serve(args) {
  const preload = ['--import', new URL('./stop-with-parent.mjs', import.meta.url).href];
  const server = spawn(pinnedNode, [...preload, inRoot('dist', 'api', 'main.js'), ...args], {
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: pinnedEnv(),
  });
  let passedAt = -Infinity;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (Date.now() - passedAt < SAME_WISH_MS) return;
      passedAt = Date.now();
      server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)));
  });
}

/**
 * `--model` is for set-up alone.
 * @param {string[]} args
 */
function withoutModel(args) {
  return args.filter((arg, at) => arg !== '--model' && args[at - 1] !== '--model' && !arg.startsWith('--model='));
}
