/** What a plan is made of: the installation's limits and the requests that come (spec A, capacity planning). */
import type { AgingSettings } from '../aging';
import type { Priority } from '../vocabulary';

export interface PlannedPlugin {
  readonly id: string;
  readonly maxConcurrentTasks: number;
  readonly local: boolean;
  readonly oneModelAtATime: boolean;
  /** Bringing a model of a local backend into memory, ms. */
  readonly loadMs: number;
}

/** How long calls take. `lognormal` has a standard deviation of `spread` times its mean. */
export type Distribution = 'exponential' | 'fixed' | 'lognormal';

/** Requests of one kind; they come independently of each other (Poisson). */
export interface Stream {
  readonly name: string;
  readonly pluginId: string;
  readonly modelId: string;
  readonly priority: Priority;
  /** They come from so many owners, each as often as the others. */
  readonly owners: number;
  readonly ratePerSec: number;
  readonly serviceMs: number;
  readonly distribution: Distribution;
  /** Of `lognormal`: standard deviation by mean. */
  readonly spread: number;
}

export interface PlanSettings {
  readonly capacity: number;
  /** 0: no limit. */
  readonly hardLimit: number;
  /** 0: no limit. */
  readonly maxRunningPerOwner: number;
  readonly maxRunningLocalBackends: number;
  readonly aging: AgingSettings;
  /** From acceptance: a request that still waits then is dropped. */
  readonly requestMs: number;
  readonly plugins: readonly PlannedPlugin[];
}

export interface PlanInput {
  readonly settings: PlanSettings;
  readonly streams: readonly Stream[];
  /** How much time to live through, ms. */
  readonly durationMs: number;
}

/** One draw of a call's time, ms. */
export function serviceTime({ serviceMs, distribution, spread }: Stream, random: () => number): number {
  switch (distribution) {
    case 'fixed':
      return serviceMs;
    case 'exponential':
      return exponential(serviceMs, random);
    case 'lognormal': {
      const variance = Math.log(1 + spread * spread);
      return serviceMs * Math.exp(Math.sqrt(variance) * normal(random) - variance / 2);
    }
  }
}

/** One draw of the time to the next arrival, ms. */
export function interarrival({ ratePerSec }: Stream, random: () => number): number {
  return exponential(1_000 / ratePerSec, random);
}

function exponential(mean: number, random: () => number): number {
  return -Math.log(1 - random()) * mean;
}

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
