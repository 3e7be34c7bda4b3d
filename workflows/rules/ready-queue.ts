/**
 * The bounded queue between acceptance and start (spec A4-A6, B5): who gets a place, who waits at the
 * door for one, who starts next. Deterministic: every time is an argument.
 *
 * | event                                    | a place is free      | all places are taken                           |
 * |------------------------------------------|----------------------|------------------------------------------------|
 * | `enter`: a new request                   | admitted             | waits at the door, up to 10 s from acceptance  |
 * | `reenter`: after a backoff or a deferral | back in its old rank | back in its old rank all the same, past the    |
 * |                                          |                      | door; the queue is over-full for a while       |
 * | `tick`                                   | the door lets in by  | 10 s over: refused with `queue_full`           |
 * |                                          | owners' turns        |                                                |
 *
 * Halves (A4): while another owner's request waits for a place, an owner holds at most half of them, and
 * the same goes for plugins. Who holds more gives back the place of its newest request when the other
 * comes; that request keeps its age, waits at the door and is never refused, since it had been admitted.
 * A free place is never kept empty for the sake of halves.
 *
 * Which request starts next is `ready-order.ts`. Use: after each change call `tick` once, then `next`
 * until it answers null; set one timer to `nextWakeAt`.
 */
import type { AgingSettings } from './aging';
import { PartyCounts } from './places';
import { QueueDoor } from './queue-door';
import type { Entry, Party, QueueItem } from './queue-item';
import { ReadyOrder } from './ready-order';

export { DOOR_WAIT_MS } from './queue-door';
export type { QueueItem, QueueItemView } from './queue-item';

export interface QueueSettings {
  /** QUEUE_CAPACITY. */
  readonly capacity: number;
  readonly aging: AgingSettings;
}

export interface Tick<T> {
  /** To be refused with `queue_full`. */
  readonly refused: readonly T[];
  /** Let in from the door since the last tick, each request once in its life. */
  readonly admitted: readonly T[];
}

const PARTIES: readonly Party[] = ['ownerId', 'pluginId'];

export class ReadyQueue<T extends QueueItem> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly order: ReadyOrder<T>;
  private readonly door = new QueueDoor<T>();
  private readonly held = new PartyCounts();
  private admitted: T[] = [];

  constructor(private readonly settings: QueueSettings) {
    this.order = new ReadyOrder(settings.aging);
  }

  /** Requests that hold a place. */
  get size(): number {
    return this.entries.size - this.door.size;
  }

  /** Requests waiting for a place. */
  get atDoor(): number {
    return this.door.size;
  }

  /** A request that waits here already keeps its place. */
  enter(item: T): 'admitted' | 'waiting' {
    const known = this.entries.get(item.taskId);
    if (known) return known.place === 'queue' ? 'admitted' : 'waiting';
    const entry = this.add(item, false);
    if (this.door.size === 0 && this.size <= this.settings.capacity) {
      this.place(entry);
      return 'admitted';
    }
    this.door.add(entry);
    this.halve();
    if (this.entries.get(item.taskId)?.place !== 'queue') return 'waiting';
    this.admitted = this.admitted.filter((each) => each !== item);
    return 'admitted';
  }

  /** B5: a request that had a place before. */
  reenter(item: T): void {
    if (!this.entries.has(item.taskId)) this.place(this.add(item, true));
  }

  /** What time and freed places have brought about at the door. */
  tick(now: number): Tick<T> {
    const refused = this.door.refuse(now).map(({ item }) => item);
    for (const { taskId } of refused) this.entries.delete(taskId);
    this.fill();
    this.halve();
    const admitted = this.admitted;
    this.admitted = [];
    return { refused, admitted };
  }

  /** The request to start now, no longer in the queue. `canStart` answers for its caps (`limits.ts`). */
  next(now: number, canStart: (item: T) => boolean): T | null {
    const entry = this.order.take(now, canStart);
    if (!entry) return null;
    this.held.subtract(entry.item);
    this.entries.delete(entry.item.taskId);
    return entry.item;
  }

  /** False: it does not wait here. */
  remove(taskId: string): boolean {
    const entry = this.entries.get(taskId);
    if (!entry) return false;
    if (entry.place === 'door') this.door.delete(entry);
    else this.vacate(entry);
    this.entries.delete(taskId);
    this.admitted = this.admitted.filter((item) => item.taskId !== taskId);
    return true;
  }

  /** Requests expected to start before it, the door's behind all others; null when it does not wait here. */
  ahead(taskId: string, now: number): readonly T[] | null {
    const entry = this.entries.get(taskId);
    if (!entry) return null;
    const placed = this.order.estimate(now);
    if (entry.place === 'queue') return placed.slice(0, placed.indexOf(entry.item));
    const before = [...this.entries.values()].filter(
      (each) => each.place === 'door' && each.enqueuedAt < entry.enqueuedAt,
    );
    return [...placed, ...before.map(({ item }) => item)];
  }

  /** How many that are. */
  position(taskId: string, now: number): number | null {
    return this.ahead(taskId, now)?.length ?? null;
  }

  /** Everybody who waits, the door included, in the order they came. */
  waiting(): T[] {
    return [...this.entries.values()].map(({ item }) => item);
  }

  /** Those that hold a place, in the order they came. */
  placed(): T[] {
    return [...this.entries.values()].filter(({ place }) => place === 'queue').map(({ item }) => item);
  }

  /** The oldest request of each class, owner, plugin and model: what `limits.ts` needs to know of demand. */
  heads(): T[] {
    return this.order.heads();
  }

  /** When `tick` and `next` are due although nothing happens until then; null: never. */
  nextWakeAt(now: number): number | null {
    const freePlace = this.door.size > 0 && this.size < this.settings.capacity;
    if (freePlace || this.admitted.length > 0) return now;
    const moments = [this.door.nextRefusalAt, this.order.nextAgingAt(now)].filter((at) => at !== null);
    return moments.length === 0 ? null : Math.max(now, Math.min(...moments));
  }

  private add(item: T, exempt: boolean): Entry<T> {
    const entry: Entry<T> = { item, enqueuedAt: item.enqueuedAt, exempt, place: 'door' };
    this.entries.set(item.taskId, entry);
    return entry;
  }

  private place(entry: Entry<T>): void {
    entry.place = 'queue';
    entry.exempt = true;
    this.order.add(entry);
    this.held.add(entry.item);
  }

  private vacate(entry: Entry<T>): void {
    this.order.delete(entry);
    this.held.subtract(entry.item);
  }

  private letIn(entry: Entry<T>): void {
    if (!entry.exempt) this.admitted.push(entry.item);
    this.door.admit(entry);
    this.place(entry);
  }

  private fill(): void {
    while (this.size < this.settings.capacity) {
      const entry = this.door.first((item) => this.leavesHalf(item)) ?? this.door.first(() => true);
      if (!entry) return;
      this.letIn(entry);
    }
  }

  /** With this request in, neither its owner nor its plugin holds more than half while another waits. */
  private leavesHalf(item: T): boolean {
    return PARTIES.every((party) => this.hasRoom(party, item) || !this.door.counts.hasOther(party, item[party]));
  }

  private hasRoom(party: Party, item: T): boolean {
    return this.held.of(party, item[party]) + 1 <= this.settings.capacity / 2;
  }

  private halve(): void {
    while (PARTIES.some((party) => this.exchange(party)));
  }

  /** One place from who holds more than half to who waits; false when there is none to exchange. */
  private exchange(party: Party): boolean {
    const holder = this.held.above(party, this.settings.capacity / 2);
    if (holder === null || !this.door.counts.hasOther(party, holder)) return false;
    const comer = this.door.first((item) => item[party] !== holder && this.hasRoom(party, item));
    if (!comer) return false;
    const other: Party = party === 'ownerId' ? 'pluginId' : 'ownerId';
    const isHolders = (item: T) => item[party] === holder;
    // Whoever goes by the comer's own second party leaves that party's share as it is.
    const alike = this.order.newest((item) => isHolders(item) && item[other] === comer.item[other]);
    const leaver = alike ?? (this.hasRoom(other, comer.item) ? this.order.newest(isHolders) : null);
    if (!leaver) return false;
    this.vacate(leaver);
    this.door.add(leaver);
    this.letIn(comer);
    return true;
  }
}
