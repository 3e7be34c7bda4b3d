/**
 * The class a request asks for (spec A6).
 *
 * | OpenAI `service_tier`              | class                                            |
 * |------------------------------------|--------------------------------------------------|
 * | absent, null, `auto`, `default`    | standard                                         |
 * | `flex`                             | flex                                             |
 * | `priority`                         | high, if the owner holds the permission          |
 * | `scale`                            | standard: a billing arrangement, not an urgency  |
 * | anything else                      | invalid                                          |
 */
import type { Priority } from './vocabulary';

export type PriorityDecision =
  | { readonly kind: 'granted'; readonly priority: Priority }
  /** The owner lacks the permission for `priority`. */
  | { readonly kind: 'denied' }
  | { readonly kind: 'invalid' };

export function priorityFor(serviceTier: unknown, mayUseHigh: boolean): PriorityDecision {
  switch (serviceTier) {
    case undefined:
    case null:
    case 'auto':
    case 'default':
    case 'scale':
      return { kind: 'granted', priority: 'standard' };
    case 'flex':
      return { kind: 'granted', priority: 'flex' };
    case 'priority':
      return mayUseHigh ? { kind: 'granted', priority: 'high' } : { kind: 'denied' };
    default:
      return { kind: 'invalid' };
  }
}
