/**
 * Where a request to a virtual model goes now (spec D3, D4, D6, D7).
 *
 * | members                                                    | decision                                  |
 * |------------------------------------------------------------|-------------------------------------------|
 * | none tried yet, and the virtual model's own window runs,   | deferred until that ends                  |
 * |   but some would be eligible                               |                                           |
 * | some eligible                                              | targets, in order                         |
 * | none, but one is untried and held out only by a cooldown   | deferred until the first of those ends    |
 * | none                                                       | none: a lasting reason                    |
 *
 * The plan names every member: those to be tried in order, then the others as configured with the reason
 * each is left out. It ends: a member the request is done with is `tried` for good, and each step of a
 * request either tries an eligible one or waits for a time that is known.
 */
import { dropReason, type RequestView } from './eligibility';
import type { Member } from './member';
import { order, type OrderOptions } from './order';
import type { Target } from '../vocabulary';

export interface RouteInput extends RequestView, OrderOptions {
  /** In the configured order, each once. */
  readonly members: readonly Member[];
  /** The virtual model's own window ends then, ms since the epoch; 0: none runs. */
  readonly windowUntil: number;
}

export interface PlannedMember extends Target {
  /** Null: to be tried. */
  readonly dropped: string | null;
}

export type Plan = readonly PlannedMember[];

export type Route =
  | { readonly kind: 'targets'; readonly plan: Plan; readonly first: Target }
  | { readonly kind: 'deferred'; readonly plan: Plan; readonly untilMs: number }
  | { readonly kind: 'none'; readonly plan: Plan };

export function route(input: RouteInput): Route {
  const { now } = input;
  const { eligible, dropped, firstCooldownEnd } = sift(input);
  const targets = order(eligible, input).map((member) => planned(member, null));
  const [first] = targets;
  // A request that has begun to try members goes on: the window is for those that come after it.
  const windowUntil = input.tried.done.size > 0 || input.windowUntil <= now ? 0 : input.windowUntil;
  if (first && windowUntil > 0) {
    const held = targets.map((target) => planned(target, 'virtual_model_cooldown'));
    return { kind: 'deferred', plan: [...held, ...dropped], untilMs: windowUntil };
  }
  const plan = [...targets, ...dropped];
  if (first) return { kind: 'targets', plan, first: { modelId: first.modelId, pluginId: first.pluginId } };
  if (firstCooldownEnd === Infinity) return { kind: 'none', plan };
  return { kind: 'deferred', plan, untilMs: Math.max(firstCooldownEnd, windowUntil) };
}

interface Sifted {
  readonly eligible: readonly Member[];
  readonly dropped: readonly PlannedMember[];
  readonly firstCooldownEnd: number;
}

function sift(input: RouteInput): Sifted {
  const eligible: Member[] = [];
  const reasons = new Map<Member, string>();
  let firstCooldownEnd = Infinity;
  for (const member of input.members) {
    const reason = dropReason(member, input);
    if (reason === null) eligible.push(member);
    else reasons.set(member, reason);
    if (reason === 'cooldown') firstCooldownEnd = Math.min(firstCooldownEnd, member.cooldownUntil);
  }
  const hadItsTries = eligible.find(({ modelId }) => modelId === input.tried.hadItsTries);
  if (hadItsTries && eligible.length > 1) reasons.set(hadItsTries, 'tried');
  const dropped = [...reasons].map(([member, reason]) => planned(member, reason));
  return { eligible: eligible.filter((member) => !reasons.has(member)), dropped, firstCooldownEnd };
}

function planned({ modelId, pluginId }: Target, dropped: string | null): PlannedMember {
  return { modelId, pluginId, dropped };
}
