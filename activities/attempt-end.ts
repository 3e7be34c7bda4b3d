/** The ways an attempt lets go of its task: for good, to another process, or to its next target. */
import type { AttemptEnd, Claim } from '../store/records';
import type { AttemptInput, AttemptResult, Target } from '../workflows/contract';
import type { AttemptDeps } from './attempt-deps';
import type { CallOutcome } from './call-backend';
import type { Permit } from './circuits';
import type { Ending } from './ending';
import type { Run } from './runs';
import type { EndingFacts } from './settlement';

/** One call at one target under a lease. */
export interface Try {
  readonly run: Run;
  readonly input: AttemptInput;
  readonly target: Target;
  readonly claim: Claim;
  /** Its circuit's leave to call. */
  readonly permit: Permit;
}

/** It carries the probe token of a half-open circuit. */
export function isProbe({ permit }: Try): boolean {
  return permit.kind === 'probe';
}

export type UndatedEnd = Omit<AttemptEnd, 'at'>;

export function end(outcome: AttemptEnd['outcome'], code: string | null): UndatedEnd {
  return { outcome, code, httpStatus: null, sentence: null, retryDelayMs: null };
}

export class AttemptEnds {
  constructor(private readonly deps: AttemptDeps) {}

  /** Ends the task with the attempt. */
  async finish(attempt: Try, closing: UndatedEnd, ending: Ending, outcome: CallOutcome): Promise<AttemptResult> {
    const { run, claim } = attempt;
    const { taskId } = run.facts;
    const { settlements, store, reports } = this.deps;
    await reports.ended(taskId, run.stopReason);
    const settlement = settlements.record(run, ending, this.facts(attempt, outcome));
    const kept = await store.queue.finish(taskId, claim.fence, this.at(closing), settlement);
    if (!kept) return this.followNewRun(run);
    settlements.close(taskId, ending);
    return { kind: 'settled', state: ending.state, reason: ending.reason };
  }

  /** Gives the lease back: the workflow goes on with the next target. */
  async handOn({ run, claim }: Try, closing: UndatedEnd, reason: string): Promise<AttemptResult> {
    const { taskId } = run.facts;
    if (!(await this.deps.store.queue.release(taskId, claim.fence, this.at(closing)))) return this.followNewRun(run);
    run.phase = 'queued';
    run.target = null;
    this.deps.feed.changed(taskId);
    return { kind: 'next', reason };
  }

  /** Stopped while it waited for its slot: no lease, no attempt row. */
  async stopped(run: Run): Promise<AttemptResult> {
    if (run.stopReason === 'lease_lost') return this.followNewRun(run);
    await this.deps.reports.ended(run.facts.taskId, run.stopReason);
    const ending = await this.deps.settlements.endStopped(run);
    return { kind: 'settled', state: ending.state, reason: ending.reason };
  }

  /** C1: somebody else runs it now. The client that still waits here gets their stored answer. */
  async followNewRun(run: Run): Promise<AttemptResult> {
    this.deps.follow(run);
    return { kind: 'settled', state: 'running', reason: 'lease_lost' };
  }

  async alreadyEnded(taskId: string): Promise<AttemptResult> {
    const task = await this.deps.store.tasks.get(taskId);
    return { kind: 'settled', state: task?.state ?? 'failed', reason: task?.reason ?? 'unknown_task' };
  }

  facts({ run, target }: Try, outcome: CallOutcome): EndingFacts {
    return {
      answer: outcome.kind === 'failed' ? outcome.partial : outcome.answer,
      usage: outcome.usage,
      servedBy: outcome.kind === 'answered' || run.delivery.given ? target : null,
      badLines: outcome.badLines,
      firstTokenMs: outcome.firstTokenAt === null ? null : outcome.firstTokenAt - run.facts.acceptedAt,
    };
  }

  at(closing: UndatedEnd): AttemptEnd {
    return { ...closing, at: this.deps.now() };
  }
}
