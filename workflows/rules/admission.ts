/**
 * Whether a request may be accepted at all, and how long it may then take (spec A2, A3, K "Deadlines").
 * The hard limit of A3 is counted by the store, in the transaction that accepts.
 *
 * | free space of the file system with SYSTEM_DATA | answer                          |
 * |------------------------------------------------|---------------------------------|
 * | unknown                                        | accept: a guess refuses nobody  |
 * | at or above MIN_FREE_DISK_BYTES_FOR_ACCEPT     | accept                          |
 * | below it                                       | refuse, `insufficient_storage`  |
 *
 * | bytes of unfinished requests' bodies in memory | answer                                       |
 * |------------------------------------------------|----------------------------------------------|
 * | none                                           | accept, however long it is                   |
 * | with this one above the budget                 | refuse, `request_memory_full`                |
 * | anything else, or a budget of 0                | accept                                       |
 *
 * | request              | deadline from acceptance, time in the queue included |
 * |----------------------|-------------------------------------------------------|
 * | background           | `backgroundMs`; nobody waits, so no client time-out   |
 * | stream               | `streamMs`, or the client's own time-out if shorter   |
 * | plain                | `requestMs`, or the client's own time-out if shorter  |
 */
export interface DiskFacts {
  /** Null when the file system would not say. */
  readonly freeBytes: number | null;
  readonly floorBytes: number;
}

export type Admission = { readonly accept: true } | { readonly accept: false; readonly code: 'insufficient_storage' };

/** A2: asked before any row exists. */
export function admit({ freeBytes, floorBytes }: DiskFacts): Admission {
  return freeBytes !== null && freeBytes < floorBytes
    ? { accept: false, code: 'insufficient_storage' }
    : { accept: true };
}

export interface BodyFacts {
  /** Of unfinished requests, bytes. */
  readonly heldBytes: number;
  readonly bodyBytes: number;
  /** 0: no budget. */
  readonly budgetBytes: number;
}

/** Fault F12: many huge prompts at once must not take all memory. */
export function admitBody({ heldBytes, bodyBytes, budgetBytes }: BodyFacts): boolean {
  return budgetBytes === 0 || heldBytes === 0 || heldBytes + bodyBytes <= budgetBytes;
}

export interface RequestTimeouts {
  readonly requestMs: number;
  readonly streamMs: number;
  readonly backgroundMs: number;
}

export interface RequestFacts {
  readonly stream: boolean;
  readonly background: boolean;
  /** What the client says it will wait, e.g. from X-Stainless-Timeout. Nonsense counts as unsaid. */
  readonly clientTimeoutMs?: number | null;
  readonly timeouts: RequestTimeouts;
  readonly now: number;
}

/** K: the moment (ms since the epoch) after which no attempt for this request may start or go on. */
export function requestBudget({ stream, background, clientTimeoutMs, timeouts, now }: RequestFacts): {
  readonly deadlineAt: number;
} {
  if (background) return { deadlineAt: now + timeouts.backgroundMs };
  const ours = stream ? timeouts.streamMs : timeouts.requestMs;
  const theirs = clientTimeoutMs && clientTimeoutMs > 0 ? clientTimeoutMs : Infinity;
  return { deadlineAt: now + Math.floor(Math.min(ours, theirs)) };
}
