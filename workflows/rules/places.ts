/** Who holds how many of the ready queue's places, and who waits for one (spec A4). */
import type { Party, QueueItem } from './queue-item';

export class PartyCounts {
  private readonly counts = { ownerId: new Map<string, number>(), pluginId: new Map<string, number>() };

  add(item: QueueItem): void {
    this.change('ownerId', item.ownerId, 1);
    this.change('pluginId', item.pluginId, 1);
  }

  subtract(item: QueueItem): void {
    this.change('ownerId', item.ownerId, -1);
    this.change('pluginId', item.pluginId, -1);
  }

  of(party: Party, id: string): number {
    return this.counts[party].get(id) ?? 0;
  }

  /** Somebody other than `id` is counted. */
  hasOther(party: Party, id: string): boolean {
    const counts = this.counts[party];
    return counts.size > (counts.has(id) ? 1 : 0);
  }

  /** The one with more than `limit`, or null. */
  above(party: Party, limit: number): string | null {
    for (const [id, count] of this.counts[party]) if (count > limit) return id;
    return null;
  }

  private change(party: Party, id: string, by: number): void {
    const count = this.of(party, id) + by;
    if (count === 0) this.counts[party].delete(id);
    else this.counts[party].set(id, count);
  }
}
