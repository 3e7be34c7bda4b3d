/**
 * The request path under a seeded world of faults. A failing seed is printed; `SOAI_SIM_SEED=n npm test --
 * test/simulator` lives just that one again and prints its story, `SOAI_SIM_SEEDS=100000` makes the long run.
 */
import { MUTATIONS } from './mutations';
import { runSeed, type Verdict } from './world';

const ONE = process.env['SOAI_SIM_SEED'];
/**
 * Processes side by side in the worlds of the main test, at most. One is what a SQLite installation has, several
 * share a ledger on PostgreSQL; without `SOAI_SIM_PROCESSES` seeds take turns between the two.
 */
const PROCESSES = process.env['SOAI_SIM_PROCESSES'];
const processesOf = (seed: number): number => (PROCESSES === undefined ? [1, 3][seed % 2]! : Number(PROCESSES));
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
  if (ONE !== undefined)
    process.stdout.write(`${described(await runSeed(Number(ONE), true, processesOf(Number(ONE))))}\n`);
  const seeds = ONE === undefined ? Array.from({ length: SEEDS }, (_, seed) => seed) : [Number(ONE)];
  const broken: string[] = [];
  for (const seed of seeds) {
    const verdict = await runSeed(seed, false, processesOf(seed));
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
