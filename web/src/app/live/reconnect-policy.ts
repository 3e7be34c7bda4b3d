/** H: reconnects from 1 s to at most 30 s. */
const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

/** A connection that lived this long counts as recovered: the next loss starts at 1 s again. */
export const settledAfterMs = 5_000;

/** A loss shorter than this is nobody's business: no scare screen. */
export const graceMs = 2_500;

/**
 * The wait before the given reconnect attempt (0 = the first). Doubles, and is drawn from the
 * upper quarter below its ceiling, so that many open pages don't return in step.
 */
export function reconnectDelayMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt, 10));
  return Math.max(firstDelayMs, Math.round(ceiling * (0.75 + 0.25 * random())));
}
