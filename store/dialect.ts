/** The differences between the two databases that repositories meet, in one place. */
import type { Dialect, Lock } from './sql';

export const sqlite: Dialect = {
  kind: 'sqlite',
  textList: (parameter) => `SELECT value FROM json_each(${parameter})`,
  // BEGIN IMMEDIATE keeps every other writer out already.
  lock: async () => {},
};

const lockKeys: Readonly<Record<Lock, number>> = { migrations: 1, counters: 2 };

/** "SoAI" in ASCII, so that other users of the server are unlikely to take the same locks. */
const lockSpace = 0x536f4149;

export const postgres: Dialect = {
  kind: 'postgres',
  textList: (parameter) => `SELECT jsonb_array_elements_text(${parameter}::jsonb)`,
  lock: async (sql, lock) => {
    await sql.rows('SELECT pg_advisory_xact_lock($1, $2)', [lockSpace, lockKeys[lock]]);
  },
};
