/**
 * Plugins and owners whose seats are all taken in other processes (spec A5): their requests wait here
 * although this process's own limits would let them start.
 *
 * | event                                         | then                                             |
 * |-----------------------------------------------|--------------------------------------------------|
 * | a claim found no seat                         | nobody of that plugin or owner starts for a poll |
 * | the poll is over                              | one may start, to try; the others wait on        |
 * | a claim found its seats                       | its plugin and its owner are free again          |
 * | a call of that plugin or owner ended here     | the same: its seat may be had                    |
 */
import type { QueueItem } from './queue-item';

export const SEAT_POLL_MS = 150;

export class HeldBack {
  private readonly until = new Map<string, number>();

  hold(scope: 'plugin' | 'owner', id: string, now: number): void {
    this.until.set(keyOf(scope, id), now + SEAT_POLL_MS);
  }

  /** The item has its seats, or has given them back. */
  free(item: QueueItem): void {
    for (const key of keysOf(item)) this.until.delete(key);
  }

  isHeld(item: QueueItem, now: number): boolean {
    return keysOf(item).some((key) => (this.until.get(key) ?? 0) > now);
  }

  /** It starts: where a poll is over, it is the one that tries. */
  started(item: QueueItem, now: number): void {
    for (const key of keysOf(item)) if (this.until.has(key)) this.until.set(key, now + SEAT_POLL_MS);
  }

  /** When the next poll is due; null: nobody is held back. */
  nextPollAt(now: number): number | null {
    let next: number | null = null;
    for (const at of this.until.values()) if (at > now && (next === null || at < next)) next = at;
    return next;
  }
}

function keyOf(scope: 'plugin' | 'owner', id: string): string {
  return `${scope}\0${id}`;
}

function keysOf({ pluginId, ownerId }: QueueItem): readonly string[] {
  return [keyOf('plugin', pluginId), keyOf('owner', ownerId)];
}
