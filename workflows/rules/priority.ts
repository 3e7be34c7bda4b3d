/**
 * The class a request asks for (spec A6).
 *
 * | OpenAI `service_tier`              | request is  | class                                           |
 * |------------------------------------|-------------|-------------------------------------------------|
 * | absent, null, `auto`, `default`    | granted     | standard                                        |
 * | `flex`                             | granted     | flex                                            |
 * | `priority`, permission held        | granted     | high                                            |
 * | `priority`, permission missing     | denied      | standard, for a caller that lets it pass        |
 * | `scale`                            | granted     | standard: a billing arrangement, not an urgency |
 * | anything else                      | invalid     | standard, for a caller that lets it pass        |
 */
import type { Priority } from './vocabulary';

export type ServiceTierVerdict = 'granted' | 'denied' | 'invalid';

const CLASSES: ReadonlyMap<unknown, Priority> = new Map<unknown, Priority>([
  [undefined, 'standard'],
  [null, 'standard'],
  ['auto', 'standard'],
  ['default', 'standard'],
  ['scale', 'standard'],
  ['flex', 'flex'],
  ['priority', 'high'],
]);

/** Whether this tier may be asked for; asked when the request is validated. */
export function judgeServiceTier(serviceTier: unknown, mayUseHigh: boolean): ServiceTierVerdict {
  const wanted = CLASSES.get(serviceTier);
  if (wanted === undefined) return 'invalid';
  return wanted === 'high' && !mayUseHigh ? 'denied' : 'granted';
}

/** The class it is queued in. */
export function priorityFor(serviceTier: unknown, mayUseHigh: boolean): Priority {
  const wanted = CLASSES.get(serviceTier) ?? 'standard';
  return wanted === 'high' && !mayUseHigh ? 'standard' : wanted;
}
