/**
 * The ready queue's door: requests waiting for a place (spec A4).
 *
 * | who waits                              | leaves by                                             |
 * |----------------------------------------|-------------------------------------------------------|
 * | a new request                          | a place, or refusal 10 s after its acceptance         |
 * | one that had a place before (exempt)   | a place; never refused                                |
 *
 * Owners take turns for places; an owner's requests go oldest first.
 */
import { AgeOrder } from './age-order';
import { PartyCounts } from './places';
import type { Entry, QueueItem } from './queue-item';
import { QueueLanes } from './queue-lanes';
import { Turns } from './turns';

/** Fixed by the spec, counted from acceptance. */
export const DOOR_WAIT_MS = 10_000;

export class QueueDoor<T extends QueueItem> {
  readonly counts = new PartyCounts();
  private readonly turns = new Turns();
  private readonly lanes = new QueueLanes<T>(this.turns, ({ ownerId, pluginId }) => `${ownerId}\0${pluginId}`);
  private readonly refusable = new AgeOrder<Entry<T>>();
  private waiting = 0;

  get size(): number {
    return this.waiting;
  }

  /** When the next one is due to be refused. */
  get nextRefusalAt(): number | null {
    const oldest = this.refusable.oldest;
    return oldest ? oldest.enqueuedAt + DOOR_WAIT_MS : null;
  }

  add(entry: Entry<T>): void {
    entry.place = 'door';
    this.lanes.add(entry);
    if (!entry.exempt) this.refusable.insert(entry);
    this.counts.add(entry.item);
    this.waiting += 1;
  }

  delete(entry: Entry<T>): void {
    if (!this.lanes.delete(entry)) return;
    this.refusable.delete(entry);
    this.counts.subtract(entry.item);
    this.waiting -= 1;
  }

  /** The one whose turn it is among those that `may` take a place; it stays until `delete`d. */
  first(may: (item: T) => boolean): Entry<T> | null {
    let best: Entry<T> | null = null;
    let bestTag = Infinity;
    for (const { entries, turn } of this.lanes) {
      const entry = entries.oldest;
      const tag = this.turns.tagOf(turn);
      if (!entry || tag > bestTag || (best && tag === bestTag && entry.enqueuedAt >= best.enqueuedAt)) continue;
      if (!may(entry.item)) continue;
      best = entry;
      bestTag = tag;
    }
    return best;
  }

  /** Takes it in: its owner's turn is used. */
  admit(entry: Entry<T>): void {
    const turn = this.turns.hold(entry.item.ownerId);
    this.delete(entry);
    this.turns.take(turn);
    this.turns.release(turn);
  }

  /** Those that have waited their 10 s, no longer waiting. */
  refuse(now: number): Entry<T>[] {
    const refused: Entry<T>[] = [];
    for (
      let next = this.refusable.oldest;
      next && next.enqueuedAt + DOOR_WAIT_MS <= now;
      next = this.refusable.oldest
    ) {
      this.delete(next);
      refused.push(next);
    }
    return refused;
  }
}
