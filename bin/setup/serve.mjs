// The server as a child in the foreground: signals passed on once, exit code mirrored, never left behind.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';

/** A terminal's Ctrl-C reaches us directly and once more through npm: that is one wish, not two. */
const SAME_WISH_MS = 300;

/**
 * The server gets a session of its own, so that signals reach it only through us and a wish to stop
 * arrives once. It holds the other end of an IPC channel and stops when we are gone, however we went
 * (`stop-with-parent.mjs`).
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export function serve(args) {
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
    server.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
}
