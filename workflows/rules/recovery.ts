/**
 * What becomes of a task whose process is gone: its incarnation died, or its lease expired (spec C1, C2, C7).
 * The first row that applies decides.
 *
 * | fact                                             | decision                                   |
 * |--------------------------------------------------|--------------------------------------------|
 * | its cancellation was requested                   | cancelled, with the recorded reason        |
 * | stored request gone, or no known target          | failed `server_restarted`                  |
 * | its deadline has passed                          | failed `deadline_exceeded`, never run      |
 * | three takeovers already                          | failed `poison_task`                       |
 * | anything else                                    | requeued with its original age             |
 *
 * A task whose answer had begun to reach a client is requeued like any other: the new run's answer
 * is stored and never goes into the old stream (C7), so `deliver` is false for it.
 */
export const MAX_TAKEOVERS = 3;

export interface OrphanFacts {
  readonly hasRequestBody: boolean;
  /** At least one target of its plan is still in the catalogue. */
  readonly targetKnown: boolean;
  readonly deadlineAt: number;
  readonly cancelRequested: { readonly reason: string } | null;
  /** Takeovers so far, not counting the one being decided on. */
  readonly takeovers: number;
  readonly given: boolean;
  readonly background: boolean;
  readonly now: number;
}

export type RecoveryDecision =
  | { readonly kind: 'requeue'; readonly deliver: boolean }
  | { readonly kind: 'fail'; readonly reason: 'server_restarted' | 'poison_task' }
  | { readonly kind: 'expire'; readonly reason: 'deadline_exceeded' }
  | { readonly kind: 'cancel'; readonly reason: string };

/** C1, C2: the fate of one orphan. */
export function recover(facts: OrphanFacts): RecoveryDecision {
  if (facts.cancelRequested !== null) return { kind: 'cancel', reason: facts.cancelRequested.reason };
  if (!facts.hasRequestBody || !facts.targetKnown) return { kind: 'fail', reason: 'server_restarted' };
  if (facts.deadlineAt <= facts.now) return { kind: 'expire', reason: 'deadline_exceeded' };
  if (facts.takeovers >= MAX_TAKEOVERS) return { kind: 'fail', reason: 'poison_task' };
  return { kind: 'requeue', deliver: !facts.given && !facts.background };
}
