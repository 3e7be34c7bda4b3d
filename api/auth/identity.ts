/** Who a request acts for, and by what proof. */
import type { Account, OwnerRef } from '../../store/records';

export type Proof =
  | { readonly via: 'key'; readonly hash: string; readonly keyId: string }
  | { readonly via: 'session'; readonly hash: string; readonly csrf: string }
  /** The token of the runtime file: the same OS user on this machine. */
  | { readonly via: 'operator' };

export interface Identity {
  readonly account: Account;
  /** The owner whose turn and limits a task counts against (A5). */
  readonly owner: OwnerRef;
  readonly via: Proof['via'];
  readonly proof: Proof;
}
