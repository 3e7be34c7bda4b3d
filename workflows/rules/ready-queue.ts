import type { Priority } from '../contract';
export interface QueueItemView {
  readonly taskId: string;
  readonly ownerId: string;
  readonly pluginId: string;
  readonly priority: Priority;
  readonly enqueuedAt: number;
}
