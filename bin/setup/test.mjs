// `npm test [-- NAME|PATTERN ...]`: everything, or the named checks and suites, or the test files that match.
import { CHECK_NAMES, runChecks } from './checks.mjs';
import { installTestPackages } from './debian-packages.mjs';
import { setUp } from './everything.mjs';
import { runLongFaults, runSuites, SUITE_NAMES } from './suites.mjs';

/** @param {string[]} args */
export async function test(args) {
  const { checks, suites, patterns, longFaults } = chosen(args);
  const faults = await setUp([], { tolerant: true });
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (suites('integration')) await installTestPackages();
  const checked = await runChecks(checks);
  const tested = longFaults ? await runLongFaults(patterns) : await runSuites(suites, patterns);
  const passed = checked.passed + tested.passed;
  const failed = faults.length + checked.failed + tested.failed + Number(passed === 0);
  process.stdout.write(`${tested.skipped} skipped\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/**
 * `unit`, `integration`, `web`, `static` and each check's name choose; anything else is a path pattern.
 * `faults` is the long form of test/faults and runs nothing beside it.
 * @param {string[]} args
 */
function chosen(args) {
  const names = new Set(args.flatMap((arg) => (arg === 'static' ? CHECK_NAMES : [arg])));
  const patterns = args.filter((arg) => ![...CHECK_NAMES, ...SUITE_NAMES, 'static'].includes(arg));
  const anySuiteNamed = SUITE_NAMES.some((name) => names.has(name));
  return {
    patterns,
    longFaults: names.has('faults'),
    checks: (/** @type {string} */ name) => args.length === 0 || names.has(name),
    suites: (/** @type {string} */ name) =>
      args.length === 0 || names.has(name) || (patterns.length > 0 && !anySuiteNamed),
  };
}
