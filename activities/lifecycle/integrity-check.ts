/**
 * C4, after an unclean stop: the files of the core database and `PRAGMA quick_check` over them before
 * anything else opens them, read-only, with progress. Never repairs, never writes.
 */
import type { Logger } from 'pino';
import { databaseFile } from '../../store/open-store';
import { bytesOf, runCheck } from './check-process';
import { examineFiles } from './database-files';
import { readMarker } from './dirty-marker';

export const RECOVERY_GUIDE = 'docs/recover-a-database.md';

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
  readonly progressMs?: number;
}

/** Resolves when the database is sound or does not exist yet; throws DatabaseDamaged otherwise. */
export async function checkIntegrity({ dataDir, log, script, progressMs }: IntegrityCheckOptions): Promise<void> {
  const file = databaseFile(dataDir);
  const found = examineFiles(file, (await readMarker(dataDir))?.expects ?? null);
  if (found.kind === 'unusable') throw new DatabaseDamaged(file, [found.problem]);
  if (found.kind === 'none') return;
  log.warn(
    { file, bytes: bytesOf(file) },
    'the previous run did not shut down cleanly: checking the database; please wait, do not power-cycle',
  );
  const startedAt = Date.now();
  const onProgress = (progress: object): void => log.info(progress, 'checking the database');
  const problems = await runCheck({ file, script, inUse: false, onProgress, progressMs });
  if (problems.length > 0) throw new DatabaseDamaged(file, problems);
  log.info({ ms: Date.now() - startedAt }, 'the database is sound');
}
