/**
 * What follows a failed call at a member of a virtual model (spec D6, B; only while the client has been
 * given nothing).
 *
 * | failure                          | another member is eligible now             | none is                       |
 * |----------------------------------|--------------------------------------------|-------------------------------|
 * | the request's own fault          | end                                        | end                           |
 * | of a breaker's probe             | leave                                      | leave                         |
 * | any other, fewer calls there     | again, by the retry rule; leave when it    | again, by the retry rule;     |
 * |   than TRIES_PER_MEMBER          |   says no                                  |   leave when it says no       |
 * | any other, that many or more     | leave                                      | likewise: the ordinary budget |
 *
 * Leaving a member starts its cooldown and takes it out for this request.
 */
import { decideRetry, type FailedCall } from '../retry';
import { worthElsewhere } from '../routing-failure';
import type { FailureFacts } from '../vocabulary';

export interface MemberCall extends FailedCall {
  readonly failure: FailureFacts;
  /** It carried the probe token of a half-open circuit. */
  readonly probe: boolean;
  readonly triesPerMember: number;
  readonly othersEligible: boolean;
}

export type AfterCall =
  { readonly kind: 'again'; readonly delayMs: number } | { readonly kind: 'leave' } | { readonly kind: 'end' };

export function afterMemberFailure(call: MemberCall): AfterCall {
  if (!worthElsewhere(call.failure)) return { kind: 'end' };
  if (call.probe) return { kind: 'leave' };
  if (call.othersEligible && call.earlier.length >= call.triesPerMember) return { kind: 'leave' };
  const decision = decideRetry(call);
  return decision.retry ? { kind: 'again', delayMs: decision.delayMs } : { kind: 'leave' };
}
