/**
 * Who holds memory: a seat for each local backend that is up, and what model it holds where it can hold
 * but one (spec A5, K "A local backend's model swap").
 *
 * | the request's backend and model           | it may start                                                     |
 * |-------------------------------------------|------------------------------------------------------------------|
 * | need no seat (remote, any number of models)| yes                                                             |
 * | are in a seat                             | yes, unless an older overdue request has claimed that seat       |
 * | are not, a seat is free                   | yes, and takes it                                                |
 * | are not, a seat holds what nobody waits   | yes, once nothing runs in it                                     |
 * |   for                                     |                                                                  |
 * | are not, every seat is waited for         | only when overdue: it claims the seat that has paid for its      |
 * |                                           | load, and takes it once nothing runs in it                       |
 *
 * Overdue: past its aging time, or of class high. A seat has paid once it has been busy for five times its
 * load time, so that loading takes at most 20 % of busy time even if every waiting request is overdue; until
 * a load has been measured, it is taken to last 5 s. What a seat has not paid when nobody waits for it any more,
 * whoever takes it has to pay too (at most for one load; time in which the seat was idle pays as well), or a rare
 * request for another model would cost two loads and pay for one. A plugin's own seat is the only one for it; a
 * backend without one takes, of several, the one whose last start is longest ago.
 */
import { agedAt } from './aging';
import type { LimitSettings } from './limit-settings';
import type { QueueItem } from './queue-item';
import type { Target } from './vocabulary';

const ASSUMED_LOAD_MS = 5_000;
const BUSY_TIMES_LOAD = 5;

interface Seat {
  readonly pluginId: string;
  readonly modelId: string;
  readonly local: boolean;
  loadMs: number;
  /** Busy time that its predecessor had still to pay. */
  readonly owedMs: number;
  running: number;
  busyMs: number;
  lastStartAt: number;
  busySince: number;
  idleSince: number;
  /** Its process has ended: the seat is free once its last call is. */
  stopped: boolean;
}

export class Seats {
  private readonly seats = new Map<string, Seat>();
  private readonly loadTimes = new Map<string, number>();
  /** What the latest gate was asked with, so that `start` takes the seat which that gate meant. */
  private demand: readonly QueueItem[] = [];

  constructor(private readonly settings: LimitSettings) {}

  /** @param demand the oldest waiting request of each class, owner, plugin and model that has its other caps free */
  gate(demand: readonly QueueItem[], now: number): (item: QueueItem) => boolean {
    this.demand = demand;
    const claims = this.claims(now);
    return (item) => {
      if (!this.needsSeat(item)) return true;
      const own = this.seats.get(item.pluginId);
      if (own && this.fits(own, item)) {
        const claimant = claims.get(own.pluginId);
        return !claimant || claimant.enqueuedAt > item.enqueuedAt;
      }
      return own === undefined && this.hasFreeSeat(item) ? true : this.seatToTake(item, now) !== null;
    };
  }

  /** The plugin whose backend has to stop first, or null. */
  start(item: QueueItem, now: number): string | null {
    if (!this.needsSeat(item)) return null;
    const own = this.seats.get(item.pluginId);
    if (own && this.fits(own, item)) {
      if (own.running === 0) own.busySince = now;
      own.running += 1;
      own.lastStartAt = now;
      own.stopped = false;
      return null;
    }
    const evicted = own || this.hasFreeSeat(item) ? null : this.seatToTake(item, now);
    const before = own ?? evicted;
    if (evicted) this.seats.delete(evicted.pluginId);
    this.seats.set(item.pluginId, {
      pluginId: item.pluginId,
      modelId: item.modelId,
      local: this.settings.plugin(item.pluginId)?.local === true,
      loadMs: this.loadTimes.get(modelKey(item)) ?? ASSUMED_LOAD_MS,
      owedMs: before ? owedBy(before, now) : 0,
      running: 1,
      busyMs: 0,
      lastStartAt: now,
      busySince: now,
      idleSince: now,
      stopped: false,
    });
    return evicted?.pluginId ?? null;
  }

  end(item: QueueItem, now: number): void {
    const seat = this.seats.get(item.pluginId);
    if (!seat || seat.running === 0) return;
    seat.running -= 1;
    if (seat.running > 0) return;
    seat.busyMs += now - seat.busySince;
    seat.idleSince = now;
    if (seat.stopped) this.seats.delete(seat.pluginId);
  }

  /** It needs memory that another model holds. */
  wouldSwap(target: Target): boolean {
    if (!this.needsSeat(target)) return false;
    const own = this.seats.get(target.pluginId);
    return own ? !this.fits(own, target) : !this.hasFreeSeat(target);
  }

  loaded(pluginId: string, modelId: string, loadMs: number): void {
    this.loadTimes.set(modelKey({ pluginId, modelId }), loadMs);
    const seat = this.seats.get(pluginId);
    if (seat?.modelId === modelId) Object.assign(seat, { loadMs, stopped: false });
  }

  /** With calls still to be ended it keeps the seat until then, so that their ends are not counted against another. */
  stopped(pluginId: string): void {
    const seat = this.seats.get(pluginId);
    if (seat?.running === 0) this.seats.delete(pluginId);
    else if (seat) seat.stopped = true;
  }

  /** Seats that overdue requests are waiting for: nothing younger starts there, so that it falls idle. */
  private claims(now: number): ReadonlyMap<string, QueueItem> {
    const claims = new Map<string, QueueItem>();
    const overdue = this.demand.filter(
      (item) => this.needsSeat(item) && !this.isSeated(item) && this.isOverdue(item, now),
    );
    for (const item of overdue.sort((a, b) => a.enqueuedAt - b.enqueuedAt)) {
      const own = this.seats.get(item.pluginId);
      if (!own && this.hasFreeSeat(item)) continue;
      const takeable = (own ? [own] : this.localSeats()).filter(
        (seat) => this.hasPaid(seat, now) && !claims.has(seat.pluginId),
      );
      const seat = this.longestAgo(takeable);
      if (seat) claims.set(seat.pluginId, item);
    }
    return claims;
  }

  private seatToTake(item: QueueItem, now: number): Seat | null {
    const own = this.seats.get(item.pluginId);
    const idle = (own ? [own] : this.localSeats()).filter(isIdle);
    const unwanted = idle.filter((seat) => !this.demand.some((waiting) => this.fits(seat, waiting)));
    const paid = this.isOverdue(item, now) ? idle.filter((seat) => this.hasPaid(seat, now)) : [];
    return this.longestAgo(unwanted) ?? this.longestAgo(paid);
  }

  private needsSeat({ pluginId }: Target): boolean {
    const plugin = this.settings.plugin(pluginId);
    return plugin !== null && (plugin.local || plugin.oneModelAtATime);
  }

  private isSeated(item: QueueItem): boolean {
    const own = this.seats.get(item.pluginId);
    return own !== undefined && this.fits(own, item);
  }

  private fits(seat: Seat, { pluginId, modelId }: Target): boolean {
    if (seat.pluginId !== pluginId) return false;
    return seat.modelId === modelId || this.settings.plugin(pluginId)?.oneModelAtATime === false;
  }

  /** Only local backends share the host's memory; any other has its own. */
  private hasFreeSeat({ pluginId }: Target): boolean {
    const local = this.settings.plugin(pluginId)?.local === true;
    return !local || this.localSeats().length < this.settings.maxRunningLocalBackends;
  }

  private isOverdue(item: QueueItem, now: number): boolean {
    return agedAt(item, this.settings.aging) <= now;
  }

  private hasPaid(seat: Seat, now: number): boolean {
    const busyMs = seat.busyMs + (seat.running > 0 ? now - seat.busySince : 0);
    return busyMs >= priceOf(seat);
  }

  private localSeats(): Seat[] {
    return [...this.seats.values()].filter(({ local }) => local);
  }

  private longestAgo(seats: readonly Seat[]): Seat | null {
    return seats.reduce<Seat | null>(
      (first, seat) => (first && first.lastStartAt <= seat.lastStartAt ? first : seat),
      null,
    );
  }
}

function isIdle(seat: Seat): boolean {
  return seat.running === 0;
}

function priceOf({ loadMs, owedMs }: Seat): number {
  return BUSY_TIMES_LOAD * loadMs + owedMs;
}

/** What an idle seat leaves to its successor. */
function owedBy(seat: Seat, now: number): number {
  const unpaid = priceOf(seat) - seat.busyMs - (now - seat.idleSince);
  return Math.min(Math.max(0, unpaid), BUSY_TIMES_LOAD * seat.loadMs);
}

function modelKey({ pluginId, modelId }: { readonly pluginId: string; readonly modelId: string }): string {
  return `${pluginId}\0${modelId}`;
}
