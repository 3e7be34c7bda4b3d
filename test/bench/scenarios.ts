/** What is measured, in which order: every scenario asks all contestants in turn, round after round. */
import type { Contestant } from './contestants/contestant';
import { closedLoop, openLoop, type LoadResult } from './load';
import type { BenchOptions } from './options';
import { figuresOf, type Figures } from './statistics';

export interface ScenarioResult {
  readonly scenario: string;
  readonly stream: boolean;
  readonly rows: readonly { readonly contestant: string; readonly figures: Figures }[];
}

type Load = (contestant: Contestant) => Promise<LoadResult>;

/** What the others are divided by. */
export const BASE = 'bare temporal';
/** Share of the base's own throughput at which requests arrive in the open loop. */
const OPEN_LOOP_SHARE = 0.5;

export async function runScenarios(
  contestants: readonly Contestant[],
  options: BenchOptions,
  tell: (message: string) => void,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  const measure = async (scenario: string, stream: boolean, load: Load): Promise<void> => {
    tell(`${scenario}: ${options.rounds} rounds`);
    results.push({ scenario, stream, rows: await inRounds(contestants, options.rounds, load) });
  };

  tell('warm-up');
  const warmUp = { clients: 32, requests: 200, maxMs: options.maxMsPerRound };
  for (const stream of [false, true]) {
    for (const contestant of contestants) await closedLoop(contestant, { ...warmUp, stream });
  }
  for (const stream of [false, true]) {
    for (const clients of options.clients) {
      const load = { clients, requests: options.requestsPerRound(clients), stream, maxMs: options.maxMsPerRound };
      await measure(
        `${stream ? 'stream' : 'plain'}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        stream,
        (one) => closedLoop(one, load),
      );
    }
  }
  const base = results.find((result) => result.scenario === 'plain, 32 clients');
  const capacity = base?.rows.find((row) => row.contestant === BASE)?.figures.perSecond ?? 0;
  const perSecond = Math.max(1, Math.round(capacity * OPEN_LOOP_SHARE));
  await measure(`plain, open loop at ${perSecond}/s`, false, (one) =>
    openLoop(one, { perSecond, durationMs: options.openLoopMs, stream: false }),
  );
  return results;
}

/** A B C, B C A, C A B …: the machine's drift falls on all alike, and nobody is always first. */
async function inRounds(
  contestants: readonly Contestant[],
  rounds: number,
  load: Load,
): Promise<ScenarioResult['rows']> {
  const seen = contestants.map(() => [] as LoadResult[]);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const which = (round + turn) % contestants.length;
      seen[which]?.push(await load(contestants[which]!));
    }
  }
  return contestants.map((contestant, i) => ({ contestant: contestant.name, figures: figuresOf(seen[i] ?? []) }));
}
