/** Bounds of the `attempt` activity that its worker side must keep to as well. */

/**
 * Activity tries Temporal may make for one attempt. The retry rule stops at 13 calls to a target; the rest
 * are tries that never reached a backend: a lease somebody else still held, a worker that was away, and
 * deferrals until a cooldown ends, of which a background request may meet thousands (24 h / 15 s).
 */
export const MAX_ACTIVITY_TRIES = 10_000;

/** A worker that says nothing for this long is taken for dead. Attempts heartbeat at a third of it. */
export const HEARTBEAT_TIMEOUT_MS = 60_000;

/** The process ends a request at its deadline itself; the engine's own limit only catches what it missed. */
export const DEADLINE_SLACK_MS = 30_000;
