/**
 * The order in which eligible members are tried (spec D4, E).
 *
 * | strategy        | order                                                                      |
 * |-----------------|----------------------------------------------------------------------------|
 * | failover        | as configured                                                              |
 * | load balancing  | by score, lowest first; equal scores as configured, but those at the front |
 * |                 | take turns when FAIR_TASK_ROTATION                                         |
 * | both            | a half-open member first: the request that gets its probe token is the one |
 * |                 | that tells whether it is back                                              |
 *
 * Score: requests bound to the member, plus what its plugin runs and has waiting, plus the price of a
 * model swap in requests.
 */
import type { Member } from './member';

export type Strategy = 'failover' | 'load_balancing';

/** A swap costs as much as this many requests ahead: loading takes seconds where an answer takes fewer. */
const SWAP_PRICE = 16;

export interface OrderOptions {
  readonly strategy: Strategy;
  /** When each member of this virtual model was last put first; null: ties go as configured. */
  readonly turns: ReadonlyMap<string, number> | null;
}

export function score({ reserved, pluginLoad, swap }: Member): number {
  return reserved + pluginLoad + (swap ? SWAP_PRICE : 0);
}

export function order(eligible: readonly Member[], options: OrderOptions): readonly Member[] {
  const ranked = options.strategy === 'failover' ? eligible : balanced(eligible, options.turns);
  const probe = ranked.find(({ circuit }) => circuit === 'half_open');
  return probe ? [probe, ...ranked.filter((member) => member !== probe)] : ranked;
}

function balanced(eligible: readonly Member[], turns: ReadonlyMap<string, number> | null): readonly Member[] {
  const scored = eligible.map((member) => ({ member, score: score(member) })).sort((a, b) => a.score - b.score);
  const ranked = scored.map(({ member }) => member);
  if (turns === null || scored.length === 0) return ranked;
  const lowest = scored[0]!.score;
  const tied = scored.filter((each) => each.score === lowest).length;
  if (tied === 1) return ranked;
  // The whole list is sorted stably, so members that never had a turn go as configured.
  const front = ranked.slice(0, tied).sort((a, b) => turnOf(turns, a) - turnOf(turns, b));
  return [...front, ...ranked.slice(tied)];
}

function turnOf(turns: ReadonlyMap<string, number>, { modelId }: Member): number {
  return turns.get(modelId) ?? -1;
}
