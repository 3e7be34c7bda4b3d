/**
 * Waiting requests in lanes of their likes, each lane in the order of enqueue times. Whoever picks looks
 * at a few lanes instead of at every request.
 */
import { AgeOrder } from './age-order';
import type { Entry, QueueItem } from './queue-item';
import type { OwnerTurn, Turns } from './turns';

export interface Lane<T extends QueueItem> {
  readonly entries: AgeOrder<Entry<T>>;
  readonly turn: OwnerTurn;
}

export class QueueLanes<T extends QueueItem> {
  private readonly lanes = new Map<string, Lane<T>>();

  /** @param laneOf names the lane of a request; requests of one lane must have one owner */
  constructor(
    private readonly turns: Turns,
    private readonly laneOf: (item: T) => string,
  ) {}

  add(entry: Entry<T>): void {
    const key = this.laneOf(entry.item);
    let lane = this.lanes.get(key);
    if (!lane) {
      lane = { entries: new AgeOrder(), turn: this.turns.hold(entry.item.ownerId) };
      this.lanes.set(key, lane);
    }
    lane.entries.insert(entry);
  }

  /** False: it is in no lane. */
  delete(entry: Entry<T>): boolean {
    const key = this.laneOf(entry.item);
    const lane = this.lanes.get(key);
    if (!lane?.entries.delete(entry)) return false;
    if (lane.entries.size === 0) {
      this.lanes.delete(key);
      this.turns.release(lane.turn);
    }
    return true;
  }

  [Symbol.iterator](): Iterator<Lane<T>> {
    return this.lanes.values();
  }
}
