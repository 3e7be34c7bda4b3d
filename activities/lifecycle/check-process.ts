/** Runs the integrity check in a process of its own, so that nobody's event loop waits for it (C4). */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

const PROGRESS_MS = 2_000;

const result = z.object({ problems: z.array(z.string()) });

export interface CheckProgress {
  /** Of the bytes to read, at most 99. */
  readonly percent: number;
  readonly seconds: number;
}

export interface CheckRun {
  readonly file: string;
  /** The child's script: `dist/store/quick-check-process.js`. */
  readonly script: string;
  /** A server may write it meanwhile. */
  readonly inUse: boolean;
  readonly onProgress: (progress: CheckProgress) => void;
  readonly progressMs?: number;
}

/** Resolves to the problems found, none for a sound database. */
export function runCheck({
  file,
  script,
  inUse,
  onProgress,
  progressMs = PROGRESS_MS,
}: CheckRun): Promise<readonly string[]> {
  const startedAt = Date.now();
  const bytes = bytesOf(file);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, file, ...(inUse ? ['--in-use'] : [])], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const timer = setInterval(() => {
      const percent = Math.min(99, Math.floor((100 * bytesReadBy(child.pid)) / Math.max(1, bytes)));
      onProgress({ percent, seconds: Math.round((Date.now() - startedAt) / 1_000) });
    }, progressMs);
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', () => {
      clearInterval(timer);
      process.off('exit', endWithUs);
      resolve(problemsIn(output));
    });
  });
}

/** Of the database and its log together. */
export function bytesOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}

/** A child that ended without saying "sound" is no proof of it. */
function problemsIn(output: string): readonly string[] {
  try {
    return result.parse(JSON.parse(output)).problems;
  } catch {
    return ['the check ended without a result'];
  }
}

function bytesReadBy(pid: number | undefined): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // Not Linux, or it has just ended: the elapsed time alone shows that it goes on.
  }
}
