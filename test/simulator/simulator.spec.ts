/**
 * The request path under a seeded world of faults. A failing seed is printed; `SOAI_SIM_SEED=n npm test --
 * test/simulator` lives just that one again and prints its story, `SOAI_SIM_SEEDS=100000` makes the long run.
 */
import { MUTATIONS } from './mutations';
import { runSeed, type Verdict } from './world';

const ONE = process.env['SOAI_SIM_SEED'];
/**
 * Processes side by side in the worlds of the main test. One is what a SQLite installation has; how several
 * share a ledger is lived with `SOAI_SIM_PROCESSES=3`, which still finds worlds where a waiting client is told late
 * or wrongly of what another process did with its task.
 */
const PROCESSES = Number(process.env['SOAI_SIM_PROCESSES'] ?? 1);
const SEEDS = Number(process.env['SOAI_SIM_SEEDS'] ?? 1_000);
/** How many worlds a broken rule may live through unnoticed. */
const MUTATION_SEEDS = 200;
/** More failing worlds than these are not told apart by reading. */
const MOST_SHOWN = 5;

/** Of an unloaded second a hundred seeds take about three; the rest is for a machine that does other things. */
jest.setTimeout(120_000 + SEEDS * 300);

function described({ seed, violations, trace }: Verdict): string {
  return [`SOAI_SIM_SEED=${seed}`, ...violations, ...trace].join('\n  ');
}

test(`O1-O5, O8: no oracle is broken in ${ONE === undefined ? `${SEEDS} seeds` : `seed ${ONE}`}`, async () => {
  if (ONE !== undefined) process.stdout.write(`${described(await runSeed(Number(ONE), true, PROCESSES))}\n`);
  const seeds = ONE === undefined ? Array.from({ length: SEEDS }, (_, seed) => seed) : [Number(ONE)];
  const broken: string[] = [];
  for (const seed of seeds) {
    const verdict = await runSeed(seed, false, PROCESSES);
    if (verdict.violations.length > 0) broken.push(described(verdict));
  }
  expect({ broken: broken.length, shown: broken.slice(0, MOST_SHOWN).join('\n\n') }).toEqual({ broken: 0, shown: '' });
});

test('a seed replays: the same story to the letter', async () => {
  const [first, second] = [await runSeed(7, true), await runSeed(7, true)];
  expect(first.trace.length).toBeGreaterThan(10);
  expect(second).toEqual(first);
});

(ONE === undefined ? test.each(MUTATIONS) : test.skip.each(MUTATIONS))(
  'the oracles notice: $name',
  async ({ caughtBy, install }) => {
    const mend = install();
    let caught = false;
    try {
      for (let seed = 0; seed < MUTATION_SEEDS && !caught; seed += 1) {
        const { violations } = await runSeed(seed);
        caught = violations.some((violation) => caughtBy.test(violation));
      }
    } finally {
      mend();
    }
    expect(caught).toBe(true);
  },
);
