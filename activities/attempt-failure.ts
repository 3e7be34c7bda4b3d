/** What follows a failed call (spec B, D6): the same target again, the next one, or the end. */
import { ApplicationFailure } from '@temporalio/common';
import type { AttemptResult } from '../workflows/contract';
import { classify, decideRetry, parseRetryAfter, type FailedCall, type FailureClass } from '../workflows/rules/retry';
import { worthElsewhere } from '../workflows/rules/routing-failure';
import { afterMemberFailure, type AfterCall } from '../workflows/rules/routing/after-call';
import type { Tried } from '../workflows/rules/routing/tried';
import type { AttemptDeps } from './attempt-deps';
import { end, isProbe, type AttemptEnds, type Try, type UndatedEnd } from './attempt-end';
import { failureOf, type AttemptPlaces } from './attempt-place';
import type { CallOutcome } from './call-backend';
import { failedEnding } from './ending';

type Failed = Extract<CallOutcome, { kind: 'failed' }>;

export class AttemptFailures {
  constructor(
    private readonly deps: AttemptDeps,
    private readonly places: AttemptPlaces,
    private readonly ends: AttemptEnds,
  ) {}

  async follow(attempt: Try, outcome: Failed): Promise<AttemptResult> {
    const { run, target } = attempt;
    const { failure } = outcome;
    const failureClass = classify(failure);
    const retryAfterMs = parseRetryAfter(failure, this.deps.now());
    const closing: UndatedEnd = {
      ...end(failureClass, failure.kind),
      httpStatus: failure.status ?? null,
      sentence: failure.message,
    };
    this.deps.reports.failed(run.facts.taskId, target.pluginId, failure);
    run.failedAt.add(target.pluginId);
    const after = await this.decide(attempt, outcome, failureClass, retryAfterMs);
    if (after.kind === 'again') return this.retryLater(attempt, closing, after.delayMs);
    if (after.kind === 'leave' && (await this.goesOn(attempt))) {
      return this.ends.handOn(attempt, closing, closing.code ?? 'failed');
    }
    return this.ends.finish(attempt, closing, failedEnding(failure, run.delivery.given, retryAfterMs), outcome);
  }

  private async decide(
    attempt: Try,
    { failure }: Failed,
    failureClass: FailureClass,
    retryAfterMs: number | null,
  ): Promise<AfterCall> {
    const { run, input, target } = attempt;
    const probe = isProbe(attempt);
    const { router, random, now } = this.deps;
    const virtual = input.target === null;
    if (run.delivery.given) {
      // D6: the failure reaches the client, and the member is left alone all the same.
      if (virtual && worthElsewhere(failure)) router.memberFailed(target.modelId);
      return { kind: 'end' };
    }
    const earlier = [...(await this.earlierClasses(attempt)), failureClass];
    const call: FailedCall = { failureClass, earlier, retryAfterMs, settings: input.retry, random: random() };
    const after = virtual
      ? afterMemberFailure({
          ...call,
          failure,
          probe,
          triesPerMember: router.triesPerMember,
          othersEligible: await this.canGoElsewhere(attempt),
        })
      : afterPlainFailure(attempt, call, worthElsewhere(failure));
    const late = after.kind === 'again' && now() + after.delayMs >= run.facts.deadlineAt;
    return late ? { kind: virtual || !input.last ? 'leave' : 'end' } : after;
  }

  private async canGoElsewhere({ run, target }: Try): Promise<boolean> {
    const done = new Set([...(await this.places.tried(run)).done, target.modelId]);
    return this.deps.router.route(await this.places.routeRequest(run, { done, hadItsTries: null })).kind === 'targets';
  }

  /** True: the workflow is to go on. False: no member is left, so the task ends with this failure (D7). */
  private async goesOn({ run, input, target }: Try): Promise<boolean> {
    const { router, reports } = this.deps;
    if (input.target !== null) return true;
    router.memberFailed(target.modelId);
    const earlier = await this.places.tried(run);
    const tried: Tried = { done: new Set([...earlier.done, target.modelId]), hadItsTries: null };
    const route = router.route(await this.places.routeRequest(run, tried));
    const staysThere = route.kind === 'targets' && route.first.pluginId === target.pluginId;
    // Before its slot is free again: who gets that has to find the circuit open already (E, T43).
    if (!staysThere) await reports.leave(run.facts.taskId, target.pluginId);
    if (route.kind !== 'none') return true;
    await this.places.keepPlan(run, route);
    router.requestFailed(run.facts.model);
    return false;
  }

  private async retryLater(attempt: Try, closing: UndatedEnd, delayMs: number): Promise<AttemptResult> {
    const { run, claim } = attempt;
    const { store, feed, now } = this.deps;
    const { taskId } = run.facts;
    const released = await store.queue.release(taskId, claim.fence, {
      ...this.ends.at(closing),
      retryDelayMs: delayMs,
    });
    // Somebody took the task over meanwhile: the next try is theirs.
    if (!released) return this.ends.followNewRun(run);
    run.phase = 'backoff';
    run.attemptDueAt = now() + delayMs;
    feed.changed(taskId);
    throw ApplicationFailure.create({
      message: closing.code ?? 'failed',
      type: closing.code ?? 'failed',
      nextRetryDelay: delayMs,
    });
  }

  /** Classes of the calls this target has had, from the ledger: budgets survive a takeover (B5). */
  private async earlierClasses({ run, target }: Try): Promise<FailureClass[]> {
    const attempts = await this.deps.store.tasks.attempts(run.facts.taskId);
    return attempts
      .filter(({ target: there }) => there.modelId === target.modelId && there.pluginId === target.pluginId)
      .flatMap(({ outcome }) => failureOf(outcome) ?? []);
  }
}

/** A probe is one call: with its failure the circuit is open again. */
function afterPlainFailure(attempt: Try, call: FailedCall, elsewhere: boolean): AfterCall {
  const decision = isProbe(attempt) ? ({ retry: false } as const) : decideRetry(call);
  if (decision.retry) return { kind: 'again', delayMs: decision.delayMs };
  return { kind: !attempt.input.last && elsewhere ? 'leave' : 'end' };
}
