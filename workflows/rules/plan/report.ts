/** What a planned workload comes to: waits, refusals, utilisation and the limit that binds. */
import { seededRandom } from './seeded-random';
import { simulatePlan } from './simulate';
import type { StreamTally, Tally } from './tally';
import type { PlanInput } from './workload';

export interface PlannedStream {
  readonly name: string;
  readonly requests: number;
  readonly started: number;
  /** Of those that started, ms; null: none did. */
  readonly waitMs: { readonly p50: number; readonly p95: number; readonly p99: number; readonly mean: number } | null;
  readonly refused: {
    readonly queueFull: number;
    readonly capacityExceeded: number;
    readonly deadlineExceeded: number;
  };
}

export interface PlannedUse {
  readonly plugin: string;
  /** Of its MAX_CONCURRENT_TASKS, 0 to 1. */
  readonly utilisation: number;
  /** Calls that come while one is answered: at or above MAX_CONCURRENT_TASKS the queue only grows. */
  readonly offered: number;
  readonly limit: number;
  /** Models brought into memory. */
  readonly loads: number;
}

export interface Plan {
  readonly streams: readonly PlannedStream[];
  readonly plugins: readonly PlannedUse[];
  /** The limit that held the next in line for most of the time; null: nothing ever waited. */
  readonly binding: { readonly limit: string; readonly plugin: string | null; readonly share: number } | null;
  /** Share of the time in which somebody waited for a place in the queue. */
  readonly queueFullShare: number;
  /** Jain's index over what owners had started, 1 = all the same; null: one owner. */
  readonly fairness: number | null;
}

const LIMIT_NAMES: Readonly<Record<string, string>> = {
  plugin: 'MAX_CONCURRENT_TASKS',
  owner: 'MAX_RUNNING_TASKS_PER_OWNER',
  local: 'MAX_RUNNING_LOCAL_BACKENDS',
};

export function planOf(input: PlanInput, seed: number): Plan {
  const tally = simulatePlan(input, seededRandom(seed));
  const { durationMs, streams } = input;
  return {
    streams: tally.streams.map(streamReport),
    plugins: [...tally.plugins.values()].map(({ plugin, busyMs, loads }) => ({
      plugin: plugin.id,
      utilisation: busyMs / (plugin.maxConcurrentTasks * durationMs),
      offered: streams
        .filter(({ pluginId }) => pluginId === plugin.id)
        .reduce((sum, { ratePerSec, serviceMs }) => sum + (ratePerSec * serviceMs) / 1_000, 0),
      limit: plugin.maxConcurrentTasks,
      loads,
    })),
    binding: bindingLimit(tally, durationMs),
    queueFullShare: tally.doorMs / durationMs,
    fairness: jain([...tally.startedByOwner.values()]),
  };
}

function streamReport(tally: StreamTally): PlannedStream {
  const { stream, arrived, started, queueFull, capacityExceeded, deadlineExceeded } = tally;
  const waits = tally.waitsMs.toSorted((a, b) => a - b);
  const at = (share: number): number => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] ?? 0;
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  return {
    name: stream.name,
    requests: arrived,
    started,
    waitMs: waits.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99), mean },
    refused: { queueFull, capacityExceeded, deadlineExceeded },
  };
}

function bindingLimit({ heldMs }: Tally, durationMs: number): Plan['binding'] {
  let [most, ms] = ['', 0];
  for (const [limit, held] of heldMs) if (held > ms) [most, ms] = [limit, held];
  if (ms === 0) return null;
  const [kind = '', plugin = null] = most.split(/:(.*)/s);
  return { limit: LIMIT_NAMES[kind] ?? kind, plugin, share: ms / durationMs };
}

/** Jain's fairness index: (Σx)² / (n Σx²). */
export function jain(shares: readonly number[]): number | null {
  if (shares.length < 2) return null;
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? null : (sum * sum) / (shares.length * squares);
}
