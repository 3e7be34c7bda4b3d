import type { LoadResult } from './load';

/** One row of the report. Times are milliseconds; null where nothing was measured. */
export interface Figures {
  readonly requests: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly firstContentP50: number | null;
  readonly firstContentP95: number | null;
}

/** Nearest rank: always a value that was measured. */
export function quantile(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? null;
}

/** Pools the rounds of one contestant. */
export function figuresOf(rounds: readonly LoadResult[]): Figures {
  const latencies = rounds.flatMap((round) => round.latencies);
  const firstContents = rounds.flatMap((round) => round.firstContents);
  const elapsedMs = rounds.reduce((sum, round) => sum + round.elapsedMs, 0);
  return {
    requests: latencies.length,
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    perSecond: elapsedMs > 0 ? (latencies.length / elapsedMs) * 1000 : 0,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    firstContentP50: quantile(firstContents, 0.5),
    firstContentP95: quantile(firstContents, 0.95),
  };
}

export const ratio = (value: number | null, base: number | null): number | null =>
  value === null || base === null || base === 0 ? null : value / base;
