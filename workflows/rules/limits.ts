/**
 * Which waiting request may start (spec A5, K): counts of what runs, and who holds memory.
 *
 * | limit                                                | a request may start when                          |
 * |------------------------------------------------------|---------------------------------------------------|
 * | MAX_CONCURRENT_TASKS of its plugin                   | fewer run there                                   |
 * | MAX_RUNNING_TASKS_PER_OWNER, 0 = none                | fewer of its owner run                            |
 * | MAX_RUNNING_LOCAL_BACKENDS, one model at a time      | its backend and model are in memory, or may be    |
 * |                                                      | brought there (`seats.ts`)                        |
 * | the plugin's retry budget                            | it is no retry there, or few others run           |
 * |                                                      | (`retry-budget.ts`)                               |
 * | unknown plugin                                       | never                                             |
 *
 * Deterministic: every time is an argument. Use: `queue.next(now, limits.gate(queue.heads(), now))`, then
 * `start`; when the call is over, `end` with the same item.
 */
import type { LimitSettings } from './limit-settings';
import type { QueueItem } from './queue-item';
import { mayRetryNow } from './retry-budget';
import { Seats } from './seats';
import type { Target } from './vocabulary';

export type { LimitSettings, PluginLimits } from './limit-settings';

export interface Started {
  /** The local backend to stop first, to make room. */
  readonly evict: string | null;
}

export class Limits {
  private readonly byPlugin = new Map<string, number>();
  private readonly byOwner = new Map<string, number>();
  private readonly retriesByPlugin = new Map<string, number>();
  private readonly seats: Seats;

  constructor(private readonly settings: LimitSettings) {
    this.seats = new Seats(settings);
  }

  /** The answer for each waiting request, as of now: good until the next `start` or `end`. */
  gate(heads: readonly QueueItem[], now: number): (item: QueueItem) => boolean {
    const mayHaveMemory = this.seats.gate(
      heads.filter((item) => this.isOwnerFree(item.ownerId)),
      now,
    );
    return (item) =>
      this.isPluginFree(item.pluginId) &&
      this.isOwnerFree(item.ownerId) &&
      this.isWithinRetryBudget(item) &&
      mayHaveMemory(item);
  }

  start(item: QueueItem, now: number): Started {
    count(this.byPlugin, item.pluginId, 1);
    count(this.byOwner, item.ownerId, 1);
    if (item.retry) count(this.retriesByPlugin, item.pluginId, 1);
    return { evict: this.seats.start(item, now) };
  }

  end(item: QueueItem, now: number): void {
    count(this.byPlugin, item.pluginId, -1);
    count(this.byOwner, item.ownerId, -1);
    if (item.retry) count(this.retriesByPlugin, item.pluginId, -1);
    this.seats.end(item, now);
  }

  /** Starting this model now would take the place of another one in memory (D4). */
  wouldSwap(target: Target): boolean {
    return this.seats.wouldSwap(target);
  }

  /** How long bringing this model into memory took; the next decisions count with it. */
  loaded(pluginId: string, modelId: string, loadMs: number): void {
    this.seats.loaded(pluginId, modelId, loadMs);
  }

  /** A backend's process ended: it holds no memory any more. */
  stopped(pluginId: string): void {
    this.seats.stopped(pluginId);
  }

  /** Which of these two limits it has reached; null: neither, so that only memory can keep it waiting. */
  fullFor(item: QueueItem): 'plugin' | 'owner' | null {
    if (!this.isPluginFree(item.pluginId)) return 'plugin';
    return this.isOwnerFree(item.ownerId) ? null : 'owner';
  }

  running(pluginId: string): number {
    return this.byPlugin.get(pluginId) ?? 0;
  }

  runningOf(ownerId: string): number {
    return this.byOwner.get(ownerId) ?? 0;
  }

  private isWithinRetryBudget({ pluginId, retry }: QueueItem): boolean {
    return !retry || mayRetryNow({ running: this.running(pluginId), retries: this.retriesByPlugin.get(pluginId) ?? 0 });
  }

  private isPluginFree(pluginId: string): boolean {
    const plugin = this.settings.plugin(pluginId);
    return plugin !== null && this.running(pluginId) < plugin.maxConcurrentTasks;
  }

  private isOwnerFree(ownerId: string): boolean {
    const { maxRunningPerOwner } = this.settings;
    return maxRunningPerOwner === 0 || this.runningOf(ownerId) < maxRunningPerOwner;
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const value = (counts.get(key) ?? 0) + by;
  if (value > 0) counts.set(key, value);
  else counts.delete(key);
}
