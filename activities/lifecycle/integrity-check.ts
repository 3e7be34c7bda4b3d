/**
 * C4, after an unclean stop: `PRAGMA quick_check` over the core database before anything else opens it,
 * in a read-only child process, with progress. Never repairs, never writes.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { z } from 'zod';
import { databaseFile } from '../../store/open-store';

const PROGRESS_MS = 2_000;
const RECOVERY_GUIDE = 'docs/recover-a-database.md';

const result = z.object({ problems: z.array(z.string()) });

/** The database failed its check: the process must stop and leave the files as they are. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged';

  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(
      `The database ${file} failed its integrity check (${problems[0] ?? 'the check ended without a result'}). ` +
        `SoAI stops here and has changed nothing. ${RECOVERY_GUIDE} leads you out, step by step.`,
    );
  }
}

export interface IntegrityCheckOptions {
  readonly dataDir: string;
  readonly log: Logger;
  /** The child's script; `dist/store/quick-check-process.js`. */
  readonly script: string;
}

/** Resolves when the database is sound or does not exist yet; throws DatabaseDamaged otherwise. */
export async function checkIntegrity({ dataDir, log, script }: IntegrityCheckOptions): Promise<void> {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) return;
  const bytes = [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
  log.warn(
    { file, bytes },
    'the previous run did not shut down cleanly: checking the database; please wait, do not power-cycle',
  );
  const startedAt = Date.now();
  const problems = await runChild(script, file, (readBytes) => {
    const percent = Math.min(99, Math.floor((100 * readBytes) / Math.max(1, bytes)));
    log.info({ percent, seconds: Math.round((Date.now() - startedAt) / 1_000) }, 'checking the database');
  });
  if (problems.length > 0) throw new DatabaseDamaged(file, problems);
  log.info({ ms: Date.now() - startedAt }, 'the database is sound');
}

function runChild(script: string, file: string, onProgress: (readBytes: number) => void): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const timer = setInterval(() => onProgress(bytesReadBy(child.pid)), PROGRESS_MS);
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

/** A child that ended without saying "sound" is no proof of it. */
function problemsIn(output: string): readonly string[] {
  try {
    return result.parse(JSON.parse(output)).problems;
  } catch {
    return [`the check ended without a result`];
  }
}

function bytesReadBy(pid: number | undefined): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // Not Linux, or it has just ended: the elapsed time alone shows that it goes on.
  }
}
