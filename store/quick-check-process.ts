/**
 * The child process of the integrity check (C4): opens the database read-only, so that neither it nor
 * its WAL changes by a byte, runs `PRAGMA quick_check`, and prints `{"problems":[…]}`.
 *
 * A process of its own, since the check reads the whole file and blocks whoever runs it.
 */
import { sqliteReader } from './data-source';

/** Problems listed at most; one is enough to stop. */
const MAX_PROBLEMS = 20;

async function check(file: string): Promise<readonly string[]> {
  try {
    const { source, statements } = await sqliteReader(file);
    try {
      const rows = await statements.rows<{ quick_check: string }>(`PRAGMA quick_check(${MAX_PROBLEMS})`, []);
      return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
    } finally {
      await statements.close();
      await source.destroy();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

void check(process.argv[2]!).then((problems) => process.stdout.write(`${JSON.stringify({ problems })}\n`));
