/**
 * How many requests a plugin gets at once after its circuit closed again (fault F8): one, and one more
 * with each success, so the number doubles with each round. A failure starts anew. What waited in the
 * queue meanwhile would otherwise all hit a backend that has only just come back.
 */
export interface SlowStart {
  readonly successes: number;
}

export const SLOW_START: SlowStart = { successes: 0 };

export function slowStartAfter(ramp: SlowStart, outcome: 'success' | 'failure' | 'neutral'): SlowStart {
  if (outcome === 'neutral') return ramp;
  return outcome === 'failure' ? SLOW_START : { successes: ramp.successes + 1 };
}

/** Null: it has not been away. */
export function slotsNow(ramp: SlowStart | null, slots: number): number {
  return ramp === null ? slots : Math.min(slots, ramp.successes + 1);
}
