// Runs Jest suites and counts from Jest's own report.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, pinnedEnv, pinnedNode } from './paths.mjs';
import { note } from './progress.mjs';
import { runVisibly } from './run.mjs';

const EXIT_GRACE_MS = 30_000;

/** Integration suites start real servers and mind the time: one at a time. */
const SUITES = [
  { name: 'unit', config: 'jest.config.cjs', project: 'unit', workers: '2' },
  { name: 'web', config: 'web/jest.config.cjs', project: null, workers: '2' },
  { name: 'integration', config: 'jest.config.cjs', project: 'integration', workers: '1' },
];

/** The long form of `test/faults`: an hour or more, so only by name. Patterns narrow it to some of its files. */
const FAULTS = { name: 'faults', config: 'jest.config.cjs', project: 'integration', workers: '1' };

export const SUITE_NAMES = [...SUITES, FAULTS].map((suite) => suite.name);

/**
 * @param {(name: string) => boolean} isWanted
 * @param {string[]} patterns of test file paths; none: all
 */
export async function runSuites(isWanted, patterns) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of SUITES.filter(({ name }) => isWanted(name))) {
    const counts = await runSuite(suite, patterns);
    add(totals, counts);
  }
  return totals;
}

/** @param {string[]} patterns of names of files in `test/faults`; none: all */
export async function runLongFaults(patterns) {
  const files = patterns.length === 0 ? ['test/faults/'] : patterns.map((pattern) => `test/faults/${pattern}`);
  return runSuite(FAULTS, files, { SOAI_FAULTS: 'full' });
}

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @param {Counts} totals @param {Counts} counts */
function add(totals, counts) {
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) totals[key] += counts[key];
}

/**
 * @param {typeof SUITES[number]} suite
 * @param {string[]} patterns
 * @param {Record<string, string>} [env]
 */
async function runSuite(suite, patterns, env = {}) {
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
      { env: { ...pinnedEnv(), ...env }, stdio: ['ignore', 'ignore', 'inherit'], signal: overdue(report) },
    );
    return counted(report, code);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Fires when Jest has reported and still does not exit: a test left something open, which is worth a
 * word but must not hold up the run.
 * @param {string} report
 */
function overdue(report) {
  const overdueNow = new AbortController();
  const timer = setInterval(() => {
    const written = statSync(report, { throwIfNoEntry: false })?.mtimeMs;
    if (written === undefined || Date.now() - written < EXIT_GRACE_MS) return;
    note(`Jest was ended: it had reported, but did not exit within ${EXIT_GRACE_MS / 1000} s`);
    overdueNow.abort();
  }, 1000);
  timer.unref();
  overdueNow.signal.addEventListener('abort', () => clearInterval(timer));
  return overdueNow.signal;
}

/** @param {string} report @param {number | null} code Jest's exit code; null: it was ended after its report */
function counted(report, code) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    // A suite that could not run has no tests to count, and must not pass for that.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: failed || Number(code !== 0 && code !== null), skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
