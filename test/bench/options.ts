import { parseArgs } from 'node:util';

/** How much is measured. Every count is a bound, and so is every time. */
export interface BenchOptions {
  readonly peers: boolean;
  readonly format: 'table' | 'json';
  readonly rounds: number;
  readonly clients: readonly number[];
  /** Requests of one contestant in one round, for each number of clients. */
  readonly requestsPerRound: (clients: number) => number;
  readonly maxMsPerRound: number;
  readonly openLoopMs: number;
}

export const USAGE = `usage: npm run bench -- [--quick] [--peers] [-o table|json]

  --quick   a short run (about a minute) that shows that everything works; its figures scatter
  --peers   also LiteLLM and Portkey, installed into the cache on first use
  -o        table (default) or json`;

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      output: { type: 'string', short: 'o', default: 'table' },
    },
  });
  if (values.output !== 'table' && values.output !== 'json') throw new Error(`-o ${values.output}: not table or json`);
  const shape = values.quick
    ? { rounds: 2, maxMsPerRound: 3_000, openLoopMs: 2_000, requestsPerRound: (n: number) => Math.max(20, n * 2) }
    : { rounds: 6, maxMsPerRound: 10_000, openLoopMs: 5_000, requestsPerRound: (n: number) => Math.max(100, n * 6) };
  return { peers: values.peers, format: values.output, clients: [1, 32, 128], ...shape };
}
