/**
 * Finds the place of an attempt's one call: a target, a slot there and its circuit's permit. Everything is
 * asked anew after each wait, since members, plugins and circuits change while a request queues (G17).
 */
import type { AttemptInput, Target } from '../workflows/contract';
import type { AttemptRecord } from '../store/records';
import type { FailureClass } from '../workflows/rules/retry';
import { explain } from '../workflows/rules/routing/explain';
import { readRequirements, type Requirements } from '../workflows/rules/routing/requirements';
import type { Route } from '../workflows/rules/routing/route';
import { NOTHING_TRIED, triedMembers, type PastCall, type Tried } from '../workflows/rules/routing/tried';
import { bodyOf } from './attempt-body';
import type { AttemptDeps } from './attempt-deps';
import type { CircuitView, Permit } from './circuits';
import { circuitOpenEnding, noMemberEnding, unreachableEnding, type Ending } from './ending';
import { standingProblem } from './plugin-problem';
import type { RouteRequest } from './router';
import type { Run } from './runs';
import type { Slot } from './scheduler';

export type Place =
  | { readonly kind: 'ready'; readonly target: Target; readonly slot: Slot; readonly permit: Permit }
  /** The run was told to stop. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended'; readonly ending: Ending }
  /** Nothing can be tried before `untilMs`, ms since the epoch. */
  | { readonly kind: 'deferred'; readonly reason: 'backends_on_cooldown' | 'circuit_open'; readonly untilMs: number };

type Choice = Extract<Place, { kind: 'ended' | 'deferred' }> | { readonly kind: 'target'; readonly target: Target };

/** How soon a parked request looks again at a circuit whose one probe is out, ms. */
const PROBE_LOOK_MS = 5_000;

export class AttemptPlaces {
  constructor(private readonly deps: AttemptDeps) {}

  async find(run: Run, input: AttemptInput): Promise<Place> {
    const { scheduler, reports } = this.deps;
    const { taskId } = run.facts;
    /** Each plugin is refused at most once in here, so this ends. */
    const refused = new Map<string, CircuitView>();
    const request = isVirtual(run, input) ? await this.routeRequest(run, await this.tried(run), refused) : null;
    for (;;) {
      if (run.stopReason !== null) return { kind: 'stopped' };
      const choice = request ? await this.member(run, request) : this.plain(run, targetOf(run, input), refused);
      if (choice.kind !== 'target') return choice;
      const { target } = choice;
      const retry = run.failedAt.has(target.pluginId);
      await this.queuedAgain(run);
      await reports.leaveOthers(taskId, target.pluginId);
      const slot = await scheduler.slot(run.facts, { ...target, retry }, run.enter(target));
      if (!slot) continue;
      const permit = this.isOpen(run, target, request, refused) ? await reports.permit(taskId, target.pluginId) : null;
      if (permit?.kind === 'closed' || permit?.kind === 'probe') return { kind: 'ready', target, slot, permit };
      if (permit) refused.set(target.pluginId, permit.view);
      slot.release();
    }
  }

  /** It was deferred, and now it waits for its turn like any other. */
  private async queuedAgain(run: Run): Promise<void> {
    const wasDeferred = run.phase === 'deferred';
    run.phase = 'queued';
    if (wasDeferred) await this.deps.store.tasks.setWaiting(run.facts.taskId, 'queued', null, this.deps.now());
  }

  /** What the router is asked with for this run. */
  async routeRequest(run: Run, tried: Tried, refused?: ReadonlyMap<string, CircuitView>): Promise<RouteRequest> {
    const { facts } = run;
    return {
      virtualModel: facts.model,
      members: facts.virtual?.members ?? [],
      accountId: facts.accountId,
      requirements: await this.requirementsOf(run),
      tried,
      avoided: run.avoided,
      refused,
    };
  }

  /** From the ledger, so that a takeover knows as much (B5). */
  async tried(run: Run): Promise<Tried> {
    if (!run.facts.resumed && run.failedAt.size === 0) return NOTHING_TRIED;
    const attempts = await this.deps.store.tasks.attempts(run.facts.taskId);
    return triedMembers(attempts.map(pastCall), this.deps.router.triesPerMember);
  }

  /** The stored plan follows what routing says now. */
  async keepPlan(run: Run, { plan }: Route): Promise<void> {
    const text = JSON.stringify(plan);
    if (text === run.storedPlan) return;
    run.storedPlan = text;
    await this.deps.store.tasks.setPlan(run.facts.taskId, plan, this.deps.now());
  }

  private plain(run: Run, target: Target, refused: ReadonlyMap<string, CircuitView>): Choice {
    const { plugins, circuits, catalogue, now } = this.deps;
    const problem = standingProblem(plugins.get(target.pluginId), target.pluginId);
    const model = catalogue.find(target.modelId);
    if (problem) return { kind: 'ended', ending: unreachableEnding(run.facts.model, problem) };
    if (model && !model.enabled) return { kind: 'ended', ending: unreachableEnding(run.facts.model, null) };
    const view = refused.get(target.pluginId) ?? circuits.view(target.pluginId);
    const probing = view.state === 'half_open' && (view.probing || refused.has(target.pluginId));
    if (view.state !== 'open' && !probing) return { kind: 'target', target };
    const until = view.retryAt ?? now() + PROBE_LOOK_MS;
    // Nobody waits for a background request: it is parked until the circuit may be tried (E).
    if (run.facts.background) {
      return { kind: 'deferred', reason: 'circuit_open', untilMs: Math.max(until, now() + 1_000) };
    }
    return { kind: 'ended', ending: circuitOpenEnding(target.pluginId, until - now()) };
  }

  private async member(run: Run, request: RouteRequest): Promise<Choice> {
    const { router } = this.deps;
    const { taskId, model } = run.facts;
    const route = router.route(request);
    const fresh = request.tried === NOTHING_TRIED;
    // What acceptance chose stays chosen as long as it may be tried, so that a request takes one turn only.
    const bound = fresh && route.kind === 'targets' ? run.target : null;
    if (bound && route.plan.some((entry) => entry.modelId === bound.modelId && entry.dropped === null)) {
      return { kind: 'target', target: bound };
    }
    await this.keepPlan(run, route);
    switch (route.kind) {
      case 'targets':
        this.leftBehind(request.tried, route.first);
        router.bind(taskId, model, route.first);
        return { kind: 'target', target: route.first };
      case 'deferred':
        this.leftBehind(request.tried, null);
        return { kind: 'deferred', reason: 'backends_on_cooldown', untilMs: route.untilMs };
      case 'none':
        this.leftBehind(request.tried, null);
        if (!fresh) router.requestFailed(model);
        return { kind: 'ended', ending: noMemberEnding(explain(model, route.plan)) };
    }
  }

  /** D6: a member whose retry was given up for another one has failed. */
  private leftBehind(tried: Tried | undefined, next: Target | null): void {
    const left = tried?.hadItsTries ?? null;
    if (left !== null && left !== next?.modelId) this.deps.router.memberFailed(left);
  }

  /** Asked once the slot is there: what was chosen before the wait may be closed by now. */
  private isOpen(
    run: Run,
    target: Target,
    request: RouteRequest | null,
    refused: ReadonlyMap<string, CircuitView>,
  ): boolean {
    if (run.stopReason !== null) return false;
    if (request) return this.deps.router.isEligible(target.modelId, request);
    return this.plain(run, target, refused).kind === 'target';
  }

  private async requirementsOf(run: Run): Promise<Requirements> {
    run.requirements ??= readRequirements(run.facts.operation, (await bodyOf(run, this.deps.store)) ?? {});
    return run.requirements;
  }
}

function isVirtual(run: Run, input: AttemptInput): boolean {
  return run.facts.virtual !== null && input.target === null;
}

function targetOf(run: Run, input: AttemptInput): Target {
  const target = input.target ?? run.facts.plan[0];
  if (!target) throw new Error(`task ${run.facts.taskId} has no target`);
  return target;
}

function pastCall({ target, outcome, retryDelayMs }: AttemptRecord): PastCall {
  return { ...target, failure: failureOf(outcome), again: retryDelayMs !== null };
}

/** Null: the call did not fail, or nobody knows how it ended. */
export function failureOf(outcome: AttemptRecord['outcome']): FailureClass | null {
  return outcome === 'transient' || outcome === 'rate_limited' || outcome === 'fatal' ? outcome : null;
}
