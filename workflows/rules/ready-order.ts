/**
 * The order in which requests that hold a place are started (spec A5, A6; cases T64, T65).
 *
 * | waiting, with free caps                          | starts next                                                |
 * |--------------------------------------------------|------------------------------------------------------------|
 * | nobody past its aging time                       | the most urgent class; in it the owner whose turn it is    |
 * | somebody past its aging time, last start was not | the oldest of the top class: every high request and every  |
 * |   by age at this plugin                          |   one past its aging time, by enqueue time                 |
 * | somebody past its aging time, last start was     | the owner whose turn it is, among the requests of that     |
 * |   by age at this plugin                          |   oldest one's own priority                                |
 *
 * An owner's requests start oldest first. The last row keeps both promises when everything is overdue:
 * the oldest request goes next at every other start, and an owner with an old backlog still takes turns
 * with an owner who has just come.
 */
import { AgeOrder } from './age-order';
import { agedAt, type AgingSettings } from './aging';
import type { Entry, QueueItem } from './queue-item';
import { Turns } from './turns';
import type { Priority } from './vocabulary';

const CLASSES: readonly Priority[] = ['high', 'standard', 'flex'];

export class ReadyOrder<T extends QueueItem> {
  private readonly lanes = new Map<string, AgeOrder<Entry<T>>>();
  private readonly turns = new Turns();
  /** Plugins whose last start was by age. */
  private readonly startedByAge = new Set<string>();

  constructor(private readonly aging: AgingSettings) {}

  add(entry: Entry<T>): void {
    const key = laneOf(entry.item);
    const lane = this.lanes.get(key) ?? new AgeOrder<Entry<T>>();
    this.lanes.set(key, lane);
    lane.insert(entry);
  }

  delete(entry: Entry<T>): void {
    const key = laneOf(entry.item);
    const lane = this.lanes.get(key);
    lane?.delete(entry);
    if (lane?.size === 0) this.lanes.delete(key);
  }

  /** The one to start now, its owner's turn used; null when nobody may start. */
  take(now: number, canStart: (item: T) => boolean): Entry<T> | null {
    const byTurn = new Map<Priority, Entry<T>>();
    let oldest: Entry<T> | null = null;
    let overdue = false;
    for (const lane of this.lanes.values()) {
      const entry = lane.find(({ item }) => canStart(item));
      if (!entry) continue;
      const rival = byTurn.get(entry.item.priority);
      if (!rival || this.hasTurnBefore(entry, rival)) byTurn.set(entry.item.priority, entry);
      const aged = agedAt(entry.item, this.aging) <= now;
      overdue ||= aged && entry.item.priority !== 'high';
      if ((aged || entry.item.priority === 'high') && (!oldest || entry.enqueuedAt < oldest.enqueuedAt)) oldest = entry;
    }
    const byAge = overdue && oldest !== null && !this.startedByAge.has(oldest.item.pluginId);
    const nextClass = overdue && oldest ? oldest.item.priority : CLASSES.find((each) => byTurn.has(each));
    const chosen = byAge ? oldest : nextClass && byTurn.get(nextClass);
    if (!chosen) return null;
    if (byAge) this.startedByAge.add(chosen.item.pluginId);
    else this.startedByAge.delete(chosen.item.pluginId);
    this.turns.take(chosen.item.ownerId);
    this.delete(chosen);
    return chosen;
  }

  /** The newest request of those `wanted`, or null. */
  newest(wanted: (item: T) => boolean): Entry<T> | null {
    let newest: Entry<T> | null = null;
    for (const { newest: entry } of this.lanes.values()) {
      if (entry && wanted(entry.item) && (!newest || entry.enqueuedAt > newest.enqueuedAt)) newest = entry;
    }
    return newest;
  }

  /** The oldest request of each lane: of each class, owner, plugin and model. */
  heads(): T[] {
    return [...this.lanes.values()].flatMap(({ oldest }) => (oldest ? [oldest.item] : []));
  }

  /** The next moment at which a lane's oldest request comes of age, or null. */
  nextAgingAt(now: number): number | null {
    const moments = this.heads().map((item) => agedAt(item, this.aging));
    const next = moments.reduce((least, at) => (at > now && at < least ? at : least), Infinity);
    return next === Infinity ? null : next;
  }

  /**
   * Everybody in the order in which they would start if all caps were free and nobody came or had taken
   * a turn before: an estimate to show.
   */
  estimate(now: number): T[] {
    const ranked: { readonly item: T; readonly rank: readonly number[] }[] = [];
    const rounds = new Map<string, number>();
    const everybody = [...this.lanes.values()].flatMap((lane) => [...lane]).sort((a, b) => a.enqueuedAt - b.enqueuedAt);
    for (const { item, enqueuedAt } of everybody) {
      const key = `${item.priority}\0${item.ownerId}`;
      const round = rounds.get(key) ?? 0;
      const overdue = item.priority !== 'high' && agedAt(item, this.aging) <= now;
      if (!overdue) rounds.set(key, round + 1);
      ranked.push({ item, rank: overdue ? [-1, 0, enqueuedAt] : [CLASSES.indexOf(item.priority), round, enqueuedAt] });
    }
    return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ item }) => item);
  }

  private hasTurnBefore(entry: Entry<T>, other: Entry<T>): boolean {
    const byTurn = this.turns.tagOf(entry.item.ownerId) - this.turns.tagOf(other.item.ownerId);
    return byTurn < 0 || (byTurn === 0 && entry.enqueuedAt < other.enqueuedAt);
  }
}

function laneOf({ priority, ownerId, pluginId, modelId }: QueueItem): string {
  return [priority, ownerId, pluginId, modelId].join('\0');
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
