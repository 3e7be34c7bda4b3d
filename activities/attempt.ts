/**
 * The `attempt` activity: one try at one target. Finds its place (`attempt-place.ts`), claims the lease,
 * calls the backend, delivers, and either ends the task, asks the engine to try again later, or hands the
 * task back for its next target. The decisions are `workflows/rules/`'s; this is the I/O around them.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { AttemptInput, AttemptResult } from '../workflows/contract';
import { replayAnswer } from '../workflows/rules/dialects/exchange';
import { spokenOperation } from '../workflows/rules/dialects/spoken-operation';
import { isSpent } from '../workflows/rules/retry';
import type { AttemptDeps } from './attempt-deps';
import { bodyOf } from './attempt-body';
import { AttemptEnds, end, type Try } from './attempt-end';
import { AttemptFailures } from './attempt-failure';
import { AttemptPlaces, failureOf, type Place } from './attempt-place';
import { callBackend, type CallOutcome } from './call-backend';
import { stoppedEnding, type Ending } from './ending';
import { faultPoint } from './fault-point';
import { claimSeated } from './seated-claim';
import type { Run } from './runs';
import { handsBack } from './settlement';

/** Wait before trying again for a lease that a run before us still holds, ms. */
const LEASE_HELD_DELAY_MS = 1_000;
/** The engine is asked to come back this long after a deadline at the latest; the process ends it before. */
const PAST_DEADLINE_MS = 1_000;

type Answered = Extract<CallOutcome, { kind: 'answered' }>;
type Failed = Extract<CallOutcome, { kind: 'failed' }>;
type Ready = Extract<Place, { kind: 'ready' }>;

export class Attempts {
  private readonly places: AttemptPlaces;
  private readonly ends: AttemptEnds;
  private readonly failures: AttemptFailures;

  constructor(private readonly deps: AttemptDeps) {
    this.places = new AttemptPlaces(deps);
    this.ends = new AttemptEnds(deps);
    this.failures = new AttemptFailures(deps, this.places, this.ends);
  }

  async attempt(input: AttemptInput): Promise<AttemptResult> {
    const run = this.deps.runs.get(input.taskId) ?? (await this.deps.adopt(input.taskId));
    if (!run) return this.ends.alreadyEnded(input.taskId);
    // The engine took an earlier try of this very activity for dead (it or we were stalled) while it goes on.
    if (run.attempt) return run.attempt;
    run.attemptDueAt = null;
    run.attempted = true;
    // An answer that could not be recorded after it was given: never a second one into that stream (C7).
    if (run.delivery.given) run.stop('internal_error');
    run.attempt = this.whenSeated(run, input).finally(() => {
      run.attempt = null;
      run.attemptDueAt ??= this.deps.now();
      // Told to stop between the end of its call and its backoff: no attempt would see to it for a while.
      if (run.stopReason !== null && run.phase !== 'ended') void this.deps.settlements.endStopped(run);
    });
    return run.attempt;
  }

  /** A5: as long as other processes have all the seats it waits in the queue, with its age. */
  private async whenSeated(run: Run, input: AttemptInput): Promise<AttemptResult> {
    for (;;) {
      const result = await this.once(run, input);
      if (result !== 'no_seat') return result;
    }
  }

  private async once(run: Run, input: AttemptInput): Promise<AttemptResult | 'no_seat'> {
    const place = await this.places.find(run, input);
    switch (place.kind) {
      case 'stopped':
        return this.ends.stopped(run);
      case 'ended':
        return this.ended(run, place.ending);
      case 'deferred':
        return this.defer(run, place);
      case 'ready':
        return this.at(run, input, place);
    }
  }

  private async at(run: Run, input: AttemptInput, { target, slot, permit }: Ready): Promise<AttemptResult | 'no_seat'> {
    const { leases, plugins, feed, now } = this.deps;
    const { taskId } = run.facts;
    try {
      if (await this.isSpent(run, input)) return { kind: 'next', reason: 'spent' };
      const claimedAt = now();
      const claim = await claimSeated(this.deps, run, target, claimedAt);
      if (claim === 'no_seat') return claim;
      if (!claim) return await this.notClaimed(run);
      faultPoint('after-claim');
      run.phase = 'calling';
      feed.changed(taskId);
      leases.hold(taskId, claimedAt, () => this.deps.stop(taskId, 'lease_lost'));
      if (slot.evict !== null) await plugins.get(slot.evict)?.adapter?.stop();
      const attempt: Try = { run, input, target, claim, permit };
      const outcome = await this.call(attempt);
      // Before the lease is given back: a renewal on its way would take a lease that is gone for a lost one.
      leases.drop(taskId);
      return await this.conclude(attempt, outcome);
    } finally {
      leases.drop(taskId);
      slot.release();
    }
  }

  private async call({ run, target, permit }: Try): Promise<CallOutcome> {
    const plugin = this.deps.plugins.get(target.pluginId);
    const model = this.deps.catalogue.find(target.modelId);
    const spoken = model ? spokenOperation(run.facts.operation, model.capabilities) : null;
    if (!plugin?.adapter || !model || !spoken)
      return unreachable(`the model '${target.modelId}' is not available any more`);
    const body = await bodyOf(run, this.deps.store);
    if (!body) return unreachable('the stored request is gone');
    return callBackend({
      run,
      adapter: plugin.adapter,
      target,
      upstreamModel: model.upstreamModel,
      spoken,
      body,
      eventsBefore: await this.deps.responseLogs.eventsBefore(run),
      signal: run.enter(target),
      deadlines: this.deps.deadlines,
      onContent: () => this.deps.circuits.answering(target.pluginId, permit, run.facts.deadlineAt),
    });
  }

  private async conclude(attempt: Try, outcome: CallOutcome): Promise<AttemptResult> {
    const { run, target } = attempt;
    if (run.stopReason === 'lease_lost') return this.ends.followNewRun(run);
    if (outcome.kind === 'answered') return this.complete(attempt, outcome);
    if (run.stopReason !== null) return this.concludeStopped(attempt, outcome, run.stopReason);
    if (outcome.failure.kind === 'aborted' && run.avoided.has(target.pluginId)) return this.purged(attempt, outcome);
    return this.failures.follow(attempt, outcome);
  }

  private async concludeStopped(attempt: Try, outcome: Failed, reason: string): Promise<AttemptResult> {
    const { run, claim } = attempt;
    const ending = stoppedEnding(reason);
    const closing = end('cancelled', reason);
    if (!handsBack(run)) return this.ends.finish(attempt, closing, ending, outcome);
    await this.deps.store.queue.release(run.facts.taskId, claim.fence, this.ends.at(closing));
    this.deps.settlements.close(run.facts.taskId, ending);
    return { kind: 'settled', state: 'queued', reason };
  }

  /** F4: its plugin is being recovered. What has given nothing goes on with its next member. */
  private async purged(attempt: Try, outcome: Failed): Promise<AttemptResult> {
    const reason = 'plugin_recovery';
    const closing = end('fatal', reason);
    if (attempt.run.delivery.given) return this.ends.finish(attempt, closing, stoppedEnding(reason), outcome);
    attempt.run.failedAt.add(attempt.target.pluginId);
    return this.ends.handOn(attempt, closing, reason);
  }

  private async complete(attempt: Try, outcome: Answered): Promise<AttemptResult> {
    faultPoint('after-upstream-finished');
    const { run, target, claim } = attempt;
    const { taskId } = run.facts;
    const { settlements, store, reports } = this.deps;
    const facts = this.ends.facts(attempt, outcome);
    const settlement = settlements.record(run, null, { ...facts, answer: outcome.answer });
    const [kept] = await Promise.all([
      store.queue.finish(taskId, claim.fence, this.ends.at(end('ok', null)), settlement),
      reports.succeeded(taskId, target.pluginId),
    ]);
    faultPoint('after-result-commit');
    if (!kept) return this.ends.followNewRun(run);
    await this.deliver(attempt, outcome.answer.text);
    settlements.close(taskId, null);
    return { kind: 'settled', state: 'completed', reason: null };
  }

  private async deliver({ run, target }: Try, text: string): Promise<void> {
    const { delivery, facts: request } = run;
    if (request.stream && delivery.streaming) return delivery.endStream();
    delivery.begin(target);
    if (!request.stream) return delivery.json(text);
    // A backend that answered a stream request whole: the client still gets its stream.
    const body = (await bodyOf(run, this.deps.store)) ?? {};
    const before = await this.deps.responseLogs.eventsBefore(run);
    for (const { data, event } of replayAnswer(request.operation, text, body, before)) {
      await delivery.event(data, event);
    }
    await delivery.settled();
    delivery.endStream();
  }

  /** B5, D7: no slot, no place in the queue; the engine brings it back when there is something to try. */
  private async defer(run: Run, { reason, untilMs }: Extract<Place, { kind: 'deferred' }>): Promise<AttemptResult> {
    const { store, scheduler, router, reports, feed, now } = this.deps;
    const { taskId, deadlineAt } = run.facts;
    scheduler.leave(taskId);
    router.unbind(taskId);
    run.target = null;
    await reports.ended(taskId, null);
    await store.tasks.setWaiting(taskId, 'deferred', reason, now());
    if (run.stopReason !== null) return this.ends.stopped(run);
    run.phase = 'deferred';
    feed.changed(taskId);
    const delayMs = Math.max(0, Math.min(untilMs, deadlineAt + PAST_DEADLINE_MS) - now());
    run.attemptDueAt = now() + delayMs;
    throw ApplicationFailure.create({ message: reason, type: reason, nextRetryDelay: delayMs });
  }

  private async ended(run: Run, ending: Ending): Promise<AttemptResult> {
    const { scheduler, settlements, reports } = this.deps;
    scheduler.leave(run.facts.taskId);
    await reports.ended(run.facts.taskId, null);
    await settlements.end(run.facts.taskId, ending);
    return { kind: 'settled', state: ending.state, reason: ending.reason };
  }

  private async notClaimed(run: Run): Promise<AttemptResult> {
    const task = await this.deps.store.tasks.get(run.facts.taskId);
    if (!task) return this.ends.alreadyEnded(run.facts.taskId);
    if (task.cancelRequested && task.finishedAt === null) {
      run.stop(task.cancelRequested.reason);
      return this.ends.stopped(run);
    }
    if (task.finishedAt !== null) {
      // Ended elsewhere, perhaps completed: the client gets that end, whatever it is.
      this.deps.follow(run);
      return { kind: 'settled', state: task.state, reason: task.reason };
    }
    if (task.incarnation !== this.deps.incarnation) return this.ends.followNewRun(run);
    throw leaseHeld();
  }

  private async isSpent(run: Run, { target, last, retry }: AttemptInput): Promise<boolean> {
    if (!run.facts.resumed || last || target === null) return false;
    const attempts = await this.deps.store.tasks.attempts(run.facts.taskId);
    const there = attempts.filter((attempt) => attempt.target.modelId === target.modelId);
    return isSpent(
      there.map(({ outcome }) => failureOf(outcome)).filter((each) => each !== null),
      retry,
    );
  }
}

function leaseHeld(): ApplicationFailure {
  return ApplicationFailure.create({ message: 'lease_held', type: 'lease_held', nextRetryDelay: LEASE_HELD_DELAY_MS });
}

function unreachable(message: string): Failed {
  return {
    kind: 'failed',
    failure: { kind: 'configuration', message },
    partial: null,
    badLines: 0,
    usage: null,
    firstTokenAt: null,
  };
}
