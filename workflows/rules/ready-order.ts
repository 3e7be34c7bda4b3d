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
import { agedAt, type AgingSettings } from './aging';
import type { Entry, QueueItem } from './queue-item';
import { type Lane, QueueLanes } from './queue-lanes';
import { type OwnerTurn, Turns } from './turns';
import type { Priority } from './vocabulary';

const CLASSES: readonly Priority[] = ['high', 'standard', 'flex'];

interface Candidate<T extends QueueItem> {
  readonly entry: Entry<T>;
  readonly turn: OwnerTurn;
}

/** What one look over the lanes finds. */
interface Found<T extends QueueItem> {
  /** The candidate whose owner's turn it is, in each class. */
  readonly byTurn: Map<Priority, Candidate<T>>;
  /** The oldest of the top class. */
  oldest: Candidate<T> | null;
  overdue: boolean;
}

export class ReadyOrder<T extends QueueItem> {
  private readonly turns = new Turns();
  private readonly lanes = new QueueLanes<T>(this.turns, laneOf);
  /** Plugins whose last start was by age. */
  private readonly startedByAge = new Set<string>();

  constructor(private readonly aging: AgingSettings) {}

  add(entry: Entry<T>): void {
    this.lanes.add(entry);
  }

  delete(entry: Entry<T>): void {
    this.lanes.delete(entry);
  }

  /** The one to start now, its owner's turn used; null when nobody may start. */
  take(now: number, canStart: (item: T) => boolean): Entry<T> | null {
    const found: Found<T> = { byTurn: new Map(), oldest: null, overdue: false };
    for (const lane of this.lanes) this.look(lane, now, canStart, found);
    const oldest = found.overdue ? found.oldest : null;
    const byAge = oldest !== null && !this.startedByAge.has(oldest.entry.item.pluginId);
    const nextClass = oldest?.entry.item.priority ?? CLASSES.find((each) => found.byTurn.has(each));
    const chosen = byAge ? oldest : nextClass && found.byTurn.get(nextClass);
    if (!chosen) return null;
    const { entry, turn } = chosen;
    if (byAge) {
      this.startedByAge.add(entry.item.pluginId);
      this.turns.charge(turn);
    } else {
      this.startedByAge.delete(entry.item.pluginId);
      this.turns.take(turn);
    }
    this.delete(entry);
    return entry;
  }

  private look({ entries, turn }: Lane<T>, now: number, canStart: (item: T) => boolean, found: Found<T>): void {
    const entry = entries.find(({ item }) => canStart(item));
    if (!entry) return;
    const { priority } = entry.item;
    const candidate = { entry, turn };
    const rival = found.byTurn.get(priority);
    if (!rival || this.hasTurnBefore(candidate, rival)) found.byTurn.set(priority, candidate);
    if (agedAt(entry.item, this.aging) > now) return;
    if (priority !== 'high') found.overdue = true;
    if (!found.oldest || entry.enqueuedAt < found.oldest.entry.enqueuedAt) found.oldest = candidate;
  }

  /** The newest request of those `wanted`, or null. */
  newest(wanted: (item: T) => boolean): Entry<T> | null {
    let newest: Entry<T> | null = null;
    for (const { entries } of this.lanes) {
      const entry = entries.newest;
      if (entry && wanted(entry.item) && (!newest || entry.enqueuedAt > newest.enqueuedAt)) newest = entry;
    }
    return newest;
  }

  /** The oldest request of each lane: of each class, owner, plugin and model. */
  heads(): T[] {
    const heads: T[] = [];
    for (const { entries } of this.lanes) if (entries.oldest) heads.push(entries.oldest.item);
    return heads;
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
    const everybody = [...this.lanes]
      .flatMap(({ entries }) => [...entries])
      .sort((a, b) => a.enqueuedAt - b.enqueuedAt);
    for (const { item, enqueuedAt } of everybody) {
      const key = `${item.priority}\0${item.ownerId}`;
      const round = rounds.get(key) ?? 0;
      const overdue = item.priority !== 'high' && agedAt(item, this.aging) <= now;
      if (!overdue) rounds.set(key, round + 1);
      ranked.push({ item, rank: overdue ? [-1, 0, enqueuedAt] : [CLASSES.indexOf(item.priority), round, enqueuedAt] });
    }
    return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ item }) => item);
  }

  private hasTurnBefore(candidate: Candidate<T>, other: Candidate<T>): boolean {
    const byTurn = this.turns.tagOf(candidate.turn) - this.turns.tagOf(other.turn);
    return byTurn < 0 || (byTurn === 0 && candidate.entry.enqueuedAt < other.entry.enqueuedAt);
  }
}

function laneOf({ priority, ownerId, pluginId, modelId }: QueueItem): string {
  return [priority, ownerId, pluginId, modelId].join('\0');
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
