/**
 * Ends requests: first the durable record, then the client, then this process's bookkeeping. The
 * one place that does, so a task has one terminal state and a client one outcome (oracles O2, O3).
 */
import type { Logger } from 'pino';
import type { Settlement } from '../store/records';
import type { Store } from '../store/store';
import type { Ending } from './ending';
import { freesIdempotencyKey, stoppedEnding } from './ending';
import type { Run, Runs } from './runs';
import type { TaskFeed } from './task-feed';

export interface EndingFacts {
  readonly answer: Settlement['answer'];
  readonly usage: Settlement['usage'];
  readonly servedBy: Settlement['servedBy'];
  readonly badLines: number;
  readonly firstTokenMs: number | null;
}

export const NO_FACTS: EndingFacts = { answer: null, usage: null, servedBy: null, badLines: 0, firstTokenMs: null };

export interface SettlementDeps {
  readonly store: Store;
  readonly runs: Runs;
  readonly feed: TaskFeed;
  readonly incarnation: string;
  /** A process that has not been heard of for this long is dead. */
  readonly staleProcessMs: number;
  readonly log: Logger;
  /** Gives the clients of a run that others ended its stored answer. */
  readonly follow: (run: Run) => void;
  readonly now: () => number;
}

export class Settlements {
  private readonly unrecorded = new Map<string, Ending>();

  constructor(private readonly deps: SettlementDeps) {}

  /** Ends that the database did not take; the recovery sweep calls this on each pass. */
  async retryEndings(): Promise<void> {
    for (const [taskId, ending] of this.unrecorded) {
      await this.settle(taskId, this.record(undefined, ending, NO_FACTS));
      this.unrecorded.delete(taskId);
    }
  }

  record(run: Run | undefined, ending: Ending | null, facts: EndingFacts): Settlement {
    return {
      state: ending?.state ?? 'completed',
      reason: ending?.reason ?? null,
      sentence: ending?.failure.message ?? null,
      given: run?.delivery.given ?? false,
      at: this.deps.now(),
      ...facts,
    };
  }

  /** Ends a task of this process that no attempt holds. False: it had ended before, or is another process's. */
  async end(taskId: string, ending: Ending, facts: EndingFacts = NO_FACTS): Promise<boolean> {
    const run = this.deps.runs.get(taskId);
    // Ours from here on, so that a second ending can't start while the first one commits.
    if (run) run.phase = 'ended';
    try {
      const settled = await this.settle(taskId, this.record(run, ending, facts));
      // It had ended already, perhaps well, or goes on elsewhere: the client is told of that end, not of ours.
      if (!settled && run) this.deps.follow(run);
      if (settled) await this.freeKey(taskId, ending);
      return settled;
    } catch (error) {
      // The row stays open until `retryEndings` records it, once the database answers again.
      this.unrecorded.set(taskId, ending);
      this.deps.log.error(
        { err: error, task: taskId, reason: ending.reason },
        'the end of a task could not be recorded',
      );
      return false;
    } finally {
      this.close(taskId, ending);
    }
  }

  /** Ends a task that no living process works on. False: one does, or it had ended before. */
  async endOrphan(taskId: string, ending: Ending): Promise<boolean> {
    const { store, staleProcessMs, now, feed } = this.deps;
    const settlement = this.record(undefined, ending, NO_FACTS);
    if (!(await store.queue.endOrphan(taskId, settlement, now(), staleProcessMs))) return false;
    await this.freeKey(taskId, ending);
    feed.changed(taskId);
    return true;
  }

  /** Ends a run that was told to stop and holds no lease. */
  async endStopped(run: Run): Promise<Ending> {
    if (run.stopReason === 'lease_lost') {
      this.deps.follow(run);
      return stoppedEnding('lease_lost');
    }
    const ending = stoppedEnding(run.stopReason ?? 'cancelled');
    if (handsBack(run)) this.close(run.facts.taskId, ending);
    else await this.end(run.facts.taskId, ending);
    return ending;
  }

  /** After the record: tell the client and forget the run. `ending` null: the answer was delivered. */
  close(taskId: string, ending: Ending | null): void {
    const { runs, feed } = this.deps;
    const run = runs.get(taskId);
    if (ending) run?.delivery.fail(ending.failure);
    runs.remove(taskId);
    feed.changed(taskId);
  }

  private settle(taskId: string, settlement: Settlement): Promise<boolean> {
    return this.deps.store.tasks.settle(taskId, this.deps.incarnation, settlement);
  }

  private async freeKey(taskId: string, { reason }: Ending): Promise<void> {
    if (freesIdempotencyKey(reason)) await this.deps.store.tasks.unbindIdempotency(taskId);
  }
}

/** C8: the row stays open, so the next process takes it over; whoever waits here is told to come back. */
export function handsBack(run: Run): boolean {
  return run.stopReason === 'shutting_down' && run.facts.outlivesProcess;
}
