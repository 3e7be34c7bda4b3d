// The static checks; each counts as one test.
import { ROOMS } from './build.mjs';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';

/** @type {{ name: string, args: string[] }[]} */
const CHECKS = [
  { name: 'types', args: ['typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'web-types', args: ['typescript/bin/tsc', '-p', 'web/tsconfig.spec.json', '--noEmit'] },
  { name: 'eslint', args: ['eslint/bin/eslint.js', '--max-warnings', '0', '.'] },
  { name: 'prettier', args: ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'] },
  {
    name: 'rooms',
    args: [
      'dependency-cruiser/bin/dependency-cruiser.mjs',
      '--config',
      '.dependency-cruiser.cjs',
      ...ROOMS,
      'web/src',
      'test',
      'bin',
    ],
  },
  { name: 'unused', args: ['knip/bin/knip.js'] },
];

/** @param {(name: string) => boolean} isWanted */
export async function runChecks(isWanted) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const {
    name,
    args: [script = '', ...args],
  } of CHECKS.filter((check) => isWanted(check.name))) {
    try {
      await step(`Checking ${name}`, () =>
        run(pinnedNode, [inRoot('node_modules', script), ...args], { env: pinnedEnv() }),
      );
      totals.passed += 1;
    } catch (error) {
      process.stdout.write(`${error instanceof Error ? error.message : error}\n`);
      totals.failed += 1;
    }
  }
  return totals;
}

export const CHECK_NAMES = CHECKS.map((check) => check.name);
