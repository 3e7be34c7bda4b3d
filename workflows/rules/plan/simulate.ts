/**
 * Lives through a planned workload on a clock of its own, with the rules that the scheduler uses
 * (`ready-queue.ts`, `limits.ts`): who gets a place, who waits at the door, who starts next.
 *
 * | left out                                   | so that in practice                                |
 * |--------------------------------------------|----------------------------------------------------|
 * | failures, retries, open circuits           | waits are longer where backends fail               |
 * | several processes, the engine's own time   | each start costs some milliseconds more            |
 * | requests that leave                        | waits are shorter where clients are impatient      |
 */
import { Limits } from '../limits';
import { ReadyQueue, type QueueItem } from '../ready-queue';
import { Agenda } from './agenda';
import { type StreamTally, Tally } from './tally';
import { interarrival, type PlanInput, serviceTime } from './workload';

interface PlannedItem extends QueueItem {
  readonly tally: StreamTally;
}

type Event =
  | { readonly kind: 'arrival'; readonly tally: StreamTally }
  | { readonly kind: 'end'; readonly item: PlannedItem }
  | { readonly kind: 'deadline'; readonly item: PlannedItem };

export function simulatePlan(input: PlanInput, random: () => number): Tally {
  return new PlannedRun(input, random).live();
}

class PlannedRun {
  private readonly tally: Tally;
  private readonly agenda = new Agenda<Event>();
  private readonly queue: ReadyQueue<PlannedItem>;
  private readonly limits: Limits;
  /** The model that each local backend has in memory. */
  private readonly loaded = new Map<string, string>();
  private now = 0;
  private arrivals = 0;
  private open = 0;
  private held: ReadonlySet<string> = new Set();

  constructor(
    private readonly input: PlanInput,
    private readonly random: () => number,
  ) {
    const { settings, streams } = input;
    const { capacity, aging, maxRunningPerOwner, maxRunningLocalBackends } = settings;
    this.tally = new Tally(streams, settings.plugins);
    this.queue = new ReadyQueue({ capacity, aging });
    this.limits = new Limits({
      maxRunningPerOwner,
      maxRunningLocalBackends,
      aging,
      plugin: (id) => this.tally.plugins.get(id)?.plugin ?? null,
    });
  }

  live(): Tally {
    for (const tally of this.tally.streams) this.arriveLater(tally);
    for (;;) {
      const wakeAt = this.queue.nextWakeAt(this.now) ?? Infinity;
      const at = Math.min(this.agenda.nextAt, wakeAt);
      if (at >= this.input.durationMs) break;
      this.passTo(at);
      // What time alone brings about comes first, as the scheduler's timer does.
      if (this.agenda.nextAt <= at) this.happen(this.agenda.take()!);
      this.pump();
    }
    this.passTo(this.input.durationMs);
    return this.tally;
  }

  private passTo(at: number): void {
    this.tally.pass(at, this.held, this.queue.atDoor > 0);
    this.now = at;
  }

  private happen(event: Event): void {
    switch (event.kind) {
      case 'arrival':
        this.arriveLater(event.tally);
        return this.arrive(event.tally);
      case 'end':
        return this.end(event.item);
      case 'deadline':
        if (!this.queue.remove(event.item.taskId)) return;
        event.item.tally.deadlineExceeded += 1;
        this.open -= 1;
    }
  }

  private arriveLater(tally: StreamTally): void {
    this.agenda.add(this.now + interarrival(tally.stream, this.random), { kind: 'arrival', tally });
  }

  private arrive(tally: StreamTally): void {
    const { settings } = this.input;
    const { name, owners, pluginId, modelId, priority } = tally.stream;
    tally.arrived += 1;
    if (settings.hardLimit > 0 && this.open >= settings.hardLimit) {
      tally.capacityExceeded += 1;
      return;
    }
    this.open += 1;
    const ownerId = `${name} ${1 + Math.floor(this.random() * owners)}`;
    const taskId = String((this.arrivals += 1));
    const item = { taskId, ownerId, pluginId, modelId, priority, enqueuedAt: this.now, tally };
    this.queue.enter(item);
    this.agenda.add(this.now + settings.requestMs, { kind: 'deadline', item });
  }

  private end(item: PlannedItem): void {
    this.limits.end(item, this.now);
    this.tally.plugins.get(item.pluginId)!.running -= 1;
    this.open -= 1;
  }

  /** As the scheduler does after each change. */
  private pump(): void {
    for (const { tally } of this.queue.tick(this.now).refused) {
      tally.queueFull += 1;
      this.open -= 1;
    }
    for (;;) {
      const mayStart = this.limits.gate(this.queue.heads(), this.now);
      const item = this.queue.next(this.now, mayStart);
      if (!item) break;
      this.start(item);
    }
    this.held = new Set(this.queue.heads().map((item) => this.holderOf(item)));
  }

  private start(item: PlannedItem): void {
    const { evict } = this.limits.start(item, this.now);
    if (evict !== null) this.loaded.delete(evict);
    const plugin = this.tally.plugins.get(item.pluginId)!;
    plugin.running += 1;
    item.tally.started += 1;
    item.tally.waitsMs.push(this.now - item.enqueuedAt);
    this.tally.startedByOwner.set(item.ownerId, (this.tally.startedByOwner.get(item.ownerId) ?? 0) + 1);
    const ms = this.loadMsOf(item) + serviceTime(item.tally.stream, this.random);
    this.agenda.add(this.now + ms, { kind: 'end', item });
  }

  private loadMsOf({ pluginId, modelId }: PlannedItem): number {
    const tally = this.tally.plugins.get(pluginId)!;
    const { local, oneModelAtATime, loadMs } = tally.plugin;
    const inMemory = this.loaded.get(pluginId);
    if ((!local && !oneModelAtATime) || inMemory === modelId || (inMemory !== undefined && !oneModelAtATime)) return 0;
    this.loaded.set(pluginId, modelId);
    this.limits.loaded(pluginId, modelId, loadMs);
    tally.loads += 1;
    return loadMs;
  }

  private holderOf(item: PlannedItem): string {
    const full = this.limits.fullFor(item);
    return full === 'plugin' ? `plugin:${item.pluginId}` : (full ?? 'local');
  }
}
