/** What waits in the ready queue, and how it is kept there. */
import type { Priority } from './vocabulary';

export interface QueueItemView {
  readonly taskId: string;
  readonly ownerId: string;
  readonly pluginId: string;
  readonly priority: Priority;
  /** When the request was accepted, ms since the epoch; kept through retries and takeovers (B5). */
  readonly enqueuedAt: number;
}

export interface QueueItem extends QueueItemView {
  readonly modelId: string;
  /** It has failed at this plugin before, so the plugin's retry budget counts it (K). */
  readonly retry?: boolean;
}

/** The two by which nobody may hold more than half of the places (A4). */
export type Party = 'ownerId' | 'pluginId';

export interface Entry<T extends QueueItem> {
  readonly item: T;
  readonly enqueuedAt: number;
  /** Had a place before: never refused at the door (A4, B5). */
  exempt: boolean;
  place: 'queue' | 'door';
}
