// Runs Jest suites and counts from Jest's own report.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { note } from './progress.mjs';
import { runVisibly } from './run.mjs';

/** Integration suites start real servers and mind the time: one at a time. */
const SUITES = [
  { name: 'unit', config: 'jest.config.cjs', project: 'unit', workers: '2' },
  { name: 'web', config: 'web/jest.config.cjs', project: null, workers: '2' },
  { name: 'integration', config: 'jest.config.cjs', project: 'integration', workers: '1' },
];

export const SUITE_NAMES = SUITES.map((suite) => suite.name);

/**
 * @param {(name: string) => boolean} isWanted
 * @param {string[]} patterns of test file paths; none: all
 */
export async function runSuites(isWanted, patterns) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of SUITES.filter(({ name }) => isWanted(name))) {
    const counts = await runSuite(suite, patterns);
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) totals[key] += counts[key];
  }
  return totals;
}

/**
 * @param {typeof SUITES[number]} suite
 * @param {string[]} patterns
 */
async function runSuite(suite, patterns) {
  const dir = mkdtempSync(join(tmpdir(), 'soai-test-'));
  const report = join(dir, 'report.json');
  try {
    note(`${suite.name} tests`);
    const code = await runVisibly(
      pinnedNode,
      [
        ...[inRoot('node_modules', 'jest', 'bin', 'jest.js'), ...patterns, '--config', suite.config],
        ...(suite.project ? ['--selectProjects', suite.project] : []),
        ...['--ci', '--passWithNoTests', '--maxWorkers', suite.workers, '--json', '--outputFile', report],
      ],
      // Jest writes its JSON to stdout as well, which nobody wants to read.
      { env: pinnedEnv(), stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return counted(report, code);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** @param {string} report @param {number} code Jest's exit code */
function counted(report, code) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    // A suite that could not run has no tests to count, and must not pass for that.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: failed || Number(code !== 0), skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
