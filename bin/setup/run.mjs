import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from './paths.mjs';

const TAIL_LINES = 30;

export class CommandFailed extends Error {
  /** @param {string} command @param {string} how @param {string[]} lines all that it said */
  constructor(command, how, lines) {
    const tail = lines.slice(-TAIL_LINES);
    super(`${command} ${how}${tail.length ? `; its last lines:\n${tail.join('\n')}` : ''}`);
    this.lines = lines;
  }
}

/**
 * Runs a command to its end without a shell; its lines go to `onLine`, the last ones into the error.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, onLine?: (line: string) => void }} [options]
 * @returns {Promise<string>} stdout and stderr as they came
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    });
    /** @type {string[]} */
    const lines = [];
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        options.onLine?.(line);
      });
    }
    child.once('error', (error) => reject(new CommandFailed(command, `could not be run: ${error.message}`, [])));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(lines.join('\n'));
      reject(
        new CommandFailed(command, signal ? `was ended by ${signal}` : `exited with ${code}`, lines.slice(-TAIL_LINES)),
      );
    });
  });
}

/**
 * Runs a command in the user's sight.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number | null>} its exit code; null: it was ended by `options.signal`
 */
export function runVisibly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)));
    child.once('close', (code) => resolve(options.signal?.aborted ? null : (code ?? 1)));
  });
}
