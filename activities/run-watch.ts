/**
 * How this process's runs stand in the ledger, asked in one statement for all: a task that another
 * process has taken over or ended is followed, one that another process was asked to cancel is ended
 * (A10, C1). Renewals tell the same of leases, but a run that waits holds none.
 */
import type { Logger } from 'pino';
import type { Store } from '../store/store';
import type { Runs } from './runs';

export interface RunWatchDeps {
  readonly store: Pick<Store, 'queue' | 'tasks'>;
  readonly runs: Runs;
  readonly incarnation: string;
  readonly stop: (taskId: string, reason: string) => void;
  readonly log: Logger;
}

/** A cancellation reaches its run in less than a second (A10). */
export const WATCH_MS = 400;

export class RunWatch {
  private timer: NodeJS.Timeout | null = null;
  private looking = false;

  constructor(private readonly deps: RunWatchDeps) {}

  start(everyMs = WATCH_MS): void {
    this.timer = setInterval(() => void this.look(), everyMs);
    this.timer.unref();
  }

  end(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Never rejects: what could not be asked is asked again. */
  async look(): Promise<void> {
    if (this.looking || this.deps.runs.size === 0) return;
    this.looking = true;
    try {
      await this.compare();
    } catch (error) {
      this.deps.log.warn({ err: error }, 'the ledger could not be asked how the running tasks stand');
    } finally {
      this.looking = false;
    }
  }

  private async compare(): Promise<void> {
    const { store, runs, incarnation, stop } = this.deps;
    const asked = runs.all().filter((run) => run.stopReason === null && run.phase !== 'ended');
    if (asked.length === 0) return;
    const standing = await store.queue.standing(
      incarnation,
      asked.map((run) => run.facts.taskId),
    );
    for (const run of asked) {
      const { taskId } = run.facts;
      // Ended meanwhile: its queue item is gone because this process ended it.
      if (runs.get(taskId) !== run) continue;
      const item = standing.get(taskId);
      if (!item) stop(taskId, 'lease_lost');
      else if (item.cancelRequested) stop(taskId, await this.cancelReason(taskId));
    }
  }

  private async cancelReason(taskId: string): Promise<string> {
    const task = await this.deps.store.tasks.get(taskId);
    return task?.cancelRequested?.reason ?? 'cancelled';
  }
}
