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

export class Settlements {
  private readonly unrecorded = new Map<string, Ending>();

  constructor(
    private readonly store: Store,
    private readonly runs: Runs,
    private readonly feed: TaskFeed,
    private readonly log: Logger,
    /** Gives the clients of a run that others ended its stored answer. */
    private readonly follow: (run: Run) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Ends that the database did not take; the recovery sweep calls this on each pass. */
  async retryEndings(): Promise<void> {
    for (const [taskId, ending] of this.unrecorded) {
      await this.store.tasks.settle(taskId, this.record(undefined, ending, NO_FACTS));
      this.unrecorded.delete(taskId);
    }
  }

  record(run: Run | undefined, ending: Ending | null, facts: EndingFacts): Settlement {
    return {
      state: ending?.state ?? 'completed',
      reason: ending?.reason ?? null,
      sentence: ending?.failure.message ?? null,
      given: run?.delivery.given ?? false,
      at: this.now(),
      ...facts,
    };
  }

  /** Ends a task that no attempt holds. False: it had ended before. */
  async end(taskId: string, ending: Ending, facts: EndingFacts = NO_FACTS): Promise<boolean> {
    const run = this.runs.get(taskId);
    // Ours from here on, so that a second ending can't start while the first one commits.
    if (run) run.phase = 'ended';
    try {
      const settled = await this.store.tasks.settle(taskId, this.record(run, ending, facts));
      // It had ended already, perhaps well: the client is told of that end, not of ours.
      if (!settled && run) this.follow(run);
      if (settled && freesIdempotencyKey(ending.reason)) await this.store.tasks.unbindIdempotency(taskId);
      return settled;
    } catch (error) {
      // The row stays open until `retryEndings` records it, once the database answers again.
      this.unrecorded.set(taskId, ending);
      this.log.error({ err: error, task: taskId, reason: ending.reason }, 'the end of a task could not be recorded');
      return false;
    } finally {
      this.close(taskId, ending);
    }
  }

  /** Ends a run that was told to stop and holds no lease. */
  async endStopped(run: Run): Promise<Ending> {
    const ending = stoppedEnding(run.stopReason ?? 'cancelled');
    if (handsBack(run)) this.close(run.facts.taskId, ending);
    else await this.end(run.facts.taskId, ending);
    return ending;
  }

  /** After the record: tell the client and forget the run. `ending` null: the answer was delivered. */
  close(taskId: string, ending: Ending | null): void {
    const run = this.runs.get(taskId);
    if (ending) run?.delivery.fail(ending.failure);
    this.runs.remove(taskId);
    this.feed.changed(taskId);
  }
}

/** C8: the row stays open, so the next process takes it over; whoever waits here is told to come back. */
export function handsBack(run: Run): boolean {
  return run.stopReason === 'shutting_down' && run.facts.outlivesProcess;
}
