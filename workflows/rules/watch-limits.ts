/** Bounds of the guardian's watch that its worker side must keep to as well. */

/** One watch lasts this long when nothing happens. */
export const WATCH_MS = 24 * 3_600_000;

/** A worker that says nothing for this long is taken for dead; watches heartbeat at a third of it. */
export const WATCH_HEARTBEAT_TIMEOUT_MS = 30_000;
