/** When a waiting request joins the top class (spec A6); a high one is in it from the start. */
import type { QueueItemView } from './queue-item';

export interface AgingSettings {
  readonly standardMs: number;
  readonly flexMs: number;
}

/** Milliseconds since the epoch. */
export function agedAt({ priority, enqueuedAt }: QueueItemView, aging: AgingSettings): number {
  switch (priority) {
    case 'high':
      return enqueuedAt;
    case 'standard':
      return enqueuedAt + aging.standardMs;
    case 'flex':
      return enqueuedAt + aging.flexMs;
  }
}
