/**
 * How long a request will wait, estimated from how long recent ones took (spec A, queue position and
 * estimated wait). Per plugin, since what runs there and how many at once is the plugin's.
 *
 * | known                                       | estimate                                              |
 * |---------------------------------------------|-------------------------------------------------------|
 * | fewer ahead of it than places are free      | none: it starts as soon as its attempt is there       |
 * | a recent service time                       | the ends that have to come first, at the rate at which |
 * |                                             | all places together end calls                         |
 * | nothing has run at the plugin yet           | unknown                                               |
 *
 * An estimate to show: limits of owners and of local backends, priorities of those still to come and
 * other processes are left out.
 */

/** Weight of the newest call in the mean: about the last ten count. */
const NEWEST_WEIGHT = 0.2;

export class ServiceTimes {
  private readonly meanMs = new Map<string, number>();

  add(pluginId: string, ms: number): void {
    const mean = this.meanMs.get(pluginId);
    this.meanMs.set(pluginId, mean === undefined ? ms : mean + NEWEST_WEIGHT * (ms - mean));
  }

  /** Mean of the recent calls, ms; null: none has ended yet. */
  of(pluginId: string): number | null {
    return this.meanMs.get(pluginId) ?? null;
  }
}

export interface WaitFacts {
  /** Requests of the same plugin that are expected to start before it. */
  readonly ahead: number;
  /** Running at the plugin. */
  readonly running: number;
  /** Its MAX_CONCURRENT_TASKS. */
  readonly places: number;
  readonly serviceMs: number | null;
}

/** Milliseconds, or null when nothing is known of the plugin's service times. */
export function estimatedWaitMs({ ahead, running, places, serviceMs }: WaitFacts): number | null {
  const free = Math.max(0, places - running);
  if (ahead < free) return 0;
  return serviceMs === null ? null : Math.round(((ahead - free + 1) * serviceMs) / places);
}
