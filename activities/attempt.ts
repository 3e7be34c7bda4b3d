/**
 * The `attempt` activity: one try at one target. Waits for a slot, claims the lease, calls the
 * backend, delivers, and either ends the task, asks the engine to try again later, or hands the
 * task back for its next target. The decisions are `workflows/rules/`'s; this is the I/O around them.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { AttemptEnd, AttemptOutcome, Claim } from '../store/records';
import type { AttemptInput, AttemptResult } from '../workflows/contract';
import { replayAnswer } from '../workflows/rules/dialects/exchange';
import { spokenOperation } from '../workflows/rules/dialects/spoken-operation';
import { classify, decideRetry, isSpent, parseRetryAfter, type FailureClass } from '../workflows/rules/retry';
import { worthElsewhere } from '../workflows/rules/routing-failure';
import type { AttemptDeps } from './attempt-deps';
import { callBackend, type CallOutcome } from './call-backend';
import { failedEnding, stoppedEnding, type Ending } from './ending';
import { faultPoint } from './fault-point';
import { claimSeated } from './seated-claim';
import type { Run } from './runs';
import { handsBack, type EndingFacts } from './settlement';

/** Wait before trying again for a lease that a run before us still holds, ms. */
const LEASE_HELD_DELAY_MS = 1_000;

type Failed = Extract<CallOutcome, { kind: 'failed' }>;

export class Attempts {
  constructor(private readonly deps: AttemptDeps) {}

  async attempt(input: AttemptInput): Promise<AttemptResult> {
    const run = this.deps.runs.get(input.taskId) ?? (await this.deps.adopt(input.taskId));
    if (!run) return this.alreadyEnded(input.taskId);
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
    const slot = await this.deps.scheduler.slot(run.facts, input.target, run.signal);
    if (!slot) return this.endStopped(run);
    try {
      if (await this.isSpent(run, input)) return { kind: 'next', reason: 'spent' };
      const now = this.deps.now();
      const { taskId } = run.facts;
      const claim = await claimSeated(this.deps, run, input.target, now);
      if (claim === 'no_seat') return claim;
      if (!claim) return await this.notClaimed(run);
      faultPoint('after-claim');
      run.phase = 'calling';
      this.deps.feed.changed(taskId);
      this.deps.leases.hold(taskId, now, () => this.deps.stop(taskId, 'lease_lost'));
      if (slot.evict !== null) await this.deps.plugins.get(slot.evict)?.adapter?.stop();
      const outcome = await this.call(run, input);
      // Before the lease is given back: a renewal on its way would take a lease that is gone for a lost one.
      this.deps.leases.drop(taskId);
      return await this.conclude(run, input, claim, outcome);
    } finally {
      this.deps.leases.drop(run.facts.taskId);
      slot.release();
    }
  }

  private async call(run: Run, input: AttemptInput): Promise<CallOutcome> {
    const plugin = this.deps.plugins.get(input.target.pluginId);
    const model = this.deps.catalogue.find(input.target.modelId);
    const spoken = model ? spokenOperation(run.facts.operation, model.capabilities) : null;
    if (!plugin?.adapter || !model || !spoken)
      return unreachable(`the model '${input.target.modelId}' is not available any more`);
    const body = run.facts.body ?? (await this.storedBody(run.facts.taskId));
    if (!body) return unreachable('the stored request is gone');
    return callBackend({
      run,
      adapter: plugin.adapter,
      target: input.target,
      upstreamModel: model.upstreamModel,
      spoken,
      body,
      eventsBefore: await this.deps.responseLogs.eventsBefore(run),
      signal: run.signal,
      deadlines: this.deps.deadlines,
    });
  }

  private async conclude(run: Run, input: AttemptInput, claim: Claim, outcome: CallOutcome): Promise<AttemptResult> {
    if (run.stopReason === 'lease_lost') return this.followNewRun(run);
    if (outcome.kind === 'answered') return this.complete(run, input, claim, outcome);
    if (run.stopReason !== null) return this.concludeStopped(run, input, claim, outcome, run.stopReason);
    return this.afterFailure(run, input, claim, outcome);
  }

  private async concludeStopped(
    run: Run,
    input: AttemptInput,
    claim: Claim,
    outcome: Failed,
    reason: string,
  ): Promise<AttemptResult> {
    const ending = stoppedEnding(reason);
    const closing = end('cancelled', reason);
    if (!handsBack(run)) return this.finish(run, input, claim, closing, ending, facts(run, input, outcome));
    await this.deps.store.queue.release(run.facts.taskId, claim.fence, this.at(closing));
    this.deps.settlements.close(run.facts.taskId, ending);
    return { kind: 'settled', state: 'queued', reason };
  }

  private async complete(
    run: Run,
    input: AttemptInput,
    claim: Claim,
    outcome: Extract<CallOutcome, { kind: 'answered' }>,
  ): Promise<AttemptResult> {
    faultPoint('after-upstream-finished');
    const { settlements, store } = this.deps;
    const settlement = settlements.record(run, null, { ...facts(run, input, outcome), answer: outcome.answer });
    const kept = await store.queue.finish(run.facts.taskId, claim.fence, this.at(end('ok', null)), settlement);
    faultPoint('after-result-commit');
    if (!kept) return this.followNewRun(run);
    await this.deliver(run, input, outcome.answer.text);
    settlements.close(run.facts.taskId, null);
    return { kind: 'settled', state: 'completed', reason: null };
  }

  private async deliver(run: Run, input: AttemptInput, text: string): Promise<void> {
    const { delivery, facts: request } = run;
    if (request.stream && delivery.streaming) return delivery.endStream();
    delivery.begin(input.target);
    if (!request.stream) return delivery.json(text);
    // A backend that answered a stream request whole: the client still gets its stream.
    const body = request.body ?? (await this.storedBody(request.taskId)) ?? {};
    const before = await this.deps.responseLogs.eventsBefore(run);
    for (const { data, event } of replayAnswer(request.operation, text, body, before)) {
      await delivery.event(data, event);
    }
    await delivery.settled();
    delivery.endStream();
  }

  private async afterFailure(run: Run, input: AttemptInput, claim: Claim, outcome: Failed): Promise<AttemptResult> {
    const { failure } = outcome;
    const now = this.deps.now();
    const failureClass = classify(failure);
    const retryAfterMs = parseRetryAfter(failure, now);
    const closing = {
      ...end(failureClass, failure.kind),
      httpStatus: failure.status ?? null,
      sentence: failure.message,
    };
    const given = run.delivery.given;

    if (!given) {
      const earlier = [...(await this.earlierClasses(run, input)), failureClass];
      const decision = decideRetry({
        failureClass,
        earlier,
        retryAfterMs,
        settings: input.retry,
        random: this.deps.random(),
      });
      if (decision.retry && now + decision.delayMs < run.facts.deadlineAt) {
        return this.retryLater(run, claim, closing, decision.delayMs);
      }
      if (!input.last && worthElsewhere(failure)) {
        if (!(await this.deps.store.queue.release(run.facts.taskId, claim.fence, this.at(closing))))
          return this.followNewRun(run);
        run.phase = 'queued';
        return { kind: 'next', reason: failure.kind };
      }
    }
    return this.finish(
      run,
      input,
      claim,
      closing,
      failedEnding(failure, given, retryAfterMs),
      facts(run, input, outcome),
    );
  }

  private async retryLater(run: Run, claim: Claim, closing: UndatedEnd, delayMs: number): Promise<AttemptResult> {
    const { store, feed } = this.deps;
    const { taskId } = run.facts;
    const released = await store.queue.release(taskId, claim.fence, { ...this.at(closing), retryDelayMs: delayMs });
    // Somebody took the task over meanwhile: the next try is theirs.
    if (!released) return this.followNewRun(run);
    run.phase = 'backoff';
    run.attemptDueAt = this.deps.now() + delayMs;
    feed.changed(taskId);
    throw ApplicationFailure.create({
      message: closing.code ?? 'failed',
      type: closing.code ?? 'failed',
      nextRetryDelay: delayMs,
    });
  }

  private async finish(
    run: Run,
    input: AttemptInput,
    claim: Claim,
    closing: UndatedEnd,
    ending: Ending,
    known: EndingFacts,
  ): Promise<AttemptResult> {
    const { settlements, store } = this.deps;
    const settlement = settlements.record(run, ending, known);
    const kept = await store.queue.finish(run.facts.taskId, claim.fence, this.at(closing), settlement);
    if (!kept) return this.followNewRun(run);
    settlements.close(run.facts.taskId, ending);
    return { kind: 'settled', state: ending.state, reason: ending.reason };
  }

  /** Stopped while it waited for its slot: no lease, no attempt row. */
  private async endStopped(run: Run): Promise<AttemptResult> {
    if (run.stopReason === 'lease_lost') return this.followNewRun(run);
    const ending = await this.deps.settlements.endStopped(run);
    return { kind: 'settled', state: ending.state, reason: ending.reason };
  }

  private async notClaimed(run: Run): Promise<AttemptResult> {
    const task = await this.deps.store.tasks.get(run.facts.taskId);
    if (!task) return this.alreadyEnded(run.facts.taskId);
    if (task.cancelRequested && task.finishedAt === null) {
      run.stop(task.cancelRequested.reason);
      return this.endStopped(run);
    }
    if (task.finishedAt !== null) {
      // Ended elsewhere, perhaps completed: the client gets that end, whatever it is.
      this.deps.follow(run);
      return { kind: 'settled', state: task.state, reason: task.reason };
    }
    if (task.incarnation !== this.deps.incarnation) return this.followNewRun(run);
    throw leaseHeld();
  }

  /** C1: somebody else runs it now. The client that still waits here gets their stored answer. */
  private async followNewRun(run: Run): Promise<AttemptResult> {
    this.deps.follow(run);
    return { kind: 'settled', state: 'running', reason: 'lease_lost' };
  }

  private async alreadyEnded(taskId: string): Promise<AttemptResult> {
    const task = await this.deps.store.tasks.get(taskId);
    return { kind: 'settled', state: task?.state ?? 'failed', reason: task?.reason ?? 'unknown_task' };
  }

  private async isSpent(run: Run, input: AttemptInput): Promise<boolean> {
    if (!run.facts.resumed || input.last) return false;
    return isSpent(await this.earlierClasses(run, input), input.retry);
  }

  /** Classes of the calls this target has had, from the ledger: budgets survive a takeover (B5). */
  private async earlierClasses(run: Run, input: AttemptInput): Promise<FailureClass[]> {
    const attempts = await this.deps.store.tasks.attempts(run.facts.taskId);
    return attempts
      .filter(({ target }) => target.modelId === input.target.modelId && target.pluginId === input.target.pluginId)
      .flatMap(({ outcome }) => (isFailure(outcome) ? [outcome] : []));
  }

  private async storedBody(taskId: string): Promise<Readonly<Record<string, unknown>> | null> {
    const text = await this.deps.store.tasks.requestBody(taskId);
    return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
  }

  private at(closing: UndatedEnd): AttemptEnd {
    return { ...closing, at: this.deps.now() };
  }
}

function isFailure(outcome: AttemptOutcome): outcome is Extract<FailureClass, AttemptOutcome> {
  return outcome === 'transient' || outcome === 'rate_limited' || outcome === 'fatal';
}

function leaseHeld(): ApplicationFailure {
  return ApplicationFailure.create({ message: 'lease_held', type: 'lease_held', nextRetryDelay: LEASE_HELD_DELAY_MS });
}

type UndatedEnd = Omit<AttemptEnd, 'at'>;

function end(outcome: AttemptEnd['outcome'], code: string | null): UndatedEnd {
  return { outcome, code, httpStatus: null, sentence: null, retryDelayMs: null };
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

function facts(run: Run, input: AttemptInput, outcome: CallOutcome): EndingFacts {
  return {
    answer: outcome.kind === 'failed' ? outcome.partial : outcome.answer,
    usage: outcome.usage,
    servedBy: outcome.kind === 'answered' || run.delivery.given ? input.target : null,
    badLines: outcome.badLines,
    firstTokenMs: outcome.firstTokenAt === null ? null : outcome.firstTokenAt - run.facts.acceptedAt,
  };
}
