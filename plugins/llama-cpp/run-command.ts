import { spawn } from 'node:child_process';
import path from 'node:path';

export type Log = (line: string) => void;

export interface CommandResult {
  readonly stdout: string;
  /** The last of what it said on stderr. */
  readonly complaint: string;
}

const OUTPUT_LIMIT = 64 * 1024;
const COMPLAINT_LIMIT = 2000;
const PROGRESS_EVERY_MS = 10_000;

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Says every ten seconds that it still works on this. */
  readonly progress?: { readonly doing: string; readonly log: Log };
}

/** Runs a program to its end, without a shell; rejects with what it complained of. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs, progress }: CommandOptions,
): Promise<CommandResult> {
  const started = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Not spawn's own `timeout`: that keeps running, and the process with it, when the program isn't there.
  const limit = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let stdout = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-OUTPUT_LIMIT)));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (complaint = (complaint + text).slice(-COMPLAINT_LIMIT)));
  const ticking =
    progress === undefined
      ? undefined
      : setInterval(
          () => progress.log(`${progress.doing} … (${Math.round((performance.now() - started) / 1000)} s)`),
          PROGRESS_EVERY_MS,
        );
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) resolve();
        else
          reject(
            new Error(
              `${path.basename(command)} ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}: ${complaint.trim()}`,
            ),
          );
      });
    });
  } finally {
    clearTimeout(limit);
    clearInterval(ticking);
  }
  return { stdout, complaint: complaint.trim() };
}
