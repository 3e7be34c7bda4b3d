/**
 * What a request has behind it at each member, from its attempt rows: the same after a takeover as before
 * it (spec B5, D6).
 *
 * | calls at the member                                       | the request is        |
 * |-----------------------------------------------------------|-----------------------|
 * | none that failed (a lost or running one is no failure)    | to come               |
 * | some, and a later call went to another member             | done with it          |
 * | the latest one failed and no retry was decided            | done with it          |
 * | the latest one failed and is to be retried, after at      | to go elsewhere if it |
 * |   least TRIES_PER_MEMBER calls                            |   can, else to retry  |
 * | the latest one failed and is to be retried, after fewer   | to retry              |
 */
import type { FailureClass } from '../retry';
import type { Target } from '../vocabulary';

export interface PastCall extends Target {
  /** Null: it did not fail (lost, cancelled, still running). */
  readonly failure: FailureClass | null;
  /** It failed and another call there was decided. */
  readonly again: boolean;
}

export interface Tried {
  /** Ids of the members the request is done with. */
  readonly done: ReadonlySet<string>;
  /** The member whose retry it waits for, though another may be tried instead. */
  readonly hadItsTries: string | null;
}

export const NOTHING_TRIED: Tried = { done: new Set(), hadItsTries: null };

/** `calls` in the order they were made. */
export function triedMembers(calls: readonly PastCall[], triesPerMember: number): Tried {
  const latest = calls.at(-1);
  const failed = calls.filter(({ failure }) => failure !== null);
  const pending = failed.filter(({ modelId }) => modelId === latest?.modelId);
  const retrying = pending.at(-1)?.again === true ? pending : [];
  const retryingAt = retrying[0]?.modelId ?? null;
  return {
    done: new Set(failed.map(({ modelId }) => modelId).filter((modelId) => modelId !== retryingAt)),
    hadItsTries: retrying.length >= triesPerMember ? retryingAt : null,
  };
}
