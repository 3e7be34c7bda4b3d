/** The ready queue in figures. */
import type { QueueState } from '../../activities/dispatcher';
import type { Priority } from '../../workflows/contract';
import { type QueueSnapshot, queueSnapshot } from '../contract/management';
import type { ApiDeps } from '../deps';
import { type Route, route } from './route';

export function queueRoutes({ dispatcher, now }: ApiDeps): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/queue',
      permission: 'QUEUE_READ',
      summary: 'What waits, what runs',
      response: queueSnapshot,
      handler: () => queueView(dispatcher.snapshot(), now()),
    }),
  ];
}

export function queueView(state: QueueState, now: number): QueueSnapshot {
  const byPriority: Record<Priority, number> = { high: 0, standard: 0, flex: 0 };
  let oldest: number | null = null;
  for (const item of state.waiting) {
    byPriority[item.priority]++;
    if (oldest === null || item.enqueuedAt < oldest) oldest = item.enqueuedAt;
  }
  return {
    capacity: state.capacity,
    waiting: state.waiting.length,
    running: state.running,
    deferred: state.deferred,
    by_priority: byPriority,
    oldest_wait_ms: oldest === null ? null : Math.max(0, now - oldest),
  };
}
