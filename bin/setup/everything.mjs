import { build } from './build.mjs';
import { installDependencies } from './dependencies.mjs';
import { installSqlite } from './sqlite.mjs';
import { obtainTemporal } from './temporal.mjs';

/**
 * All that a run needs. Each step looks first, and does nothing when nothing changed.
 * @param {string[]} [args] of the server: the settings file decides whether Temporal is needed here
 * @param {{ tolerant?: boolean }} [options] tolerant: go on with what could be built
 * @returns {Promise<string[]>} what could not
 */
export async function setUp(args = [], { tolerant = false } = {}) {
  await installDependencies();
  await installSqlite();
  const faults = await build({ tolerant });
  await obtainTemporal(args);
  return faults;
}
