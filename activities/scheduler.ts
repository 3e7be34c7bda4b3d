/**
 * The ready queue at work: one timer and a set of waiting promises around `ready-queue.ts` and
 * `limits.ts`, which decide. A request gets its slot when the queue picks it *and* its attempt waits.
 */
import type { RoutingSettings } from '../config/schema';
import type { Seat } from '../store/records';
import type { Target } from '../workflows/contract';
import { HeldBack } from '../workflows/rules/held-back';
import { Limits, type PluginLimits } from '../workflows/rules/limits';
import { ReadyQueue, type QueueItem } from '../workflows/rules/ready-queue';
import { estimatedWaitMs, ServiceTimes } from '../workflows/rules/service-times';
import { closedCircuits, type Circuits } from './circuits';
import type { PluginHost } from './plugin-host';
import { PluginLoads, type PluginLoad } from './plugin-loads';
import type { RunFacts } from './runs';
import { seconds } from './timings';

export interface Slot {
  /** The local backend to stop first, so that this one's fits (A5). */
  readonly evict: string | null;
  /** Idempotent. */
  release(): void;
}

/** Where a slot is wanted. */
export interface SlotTarget extends Target {
  /** A call of the request has failed at this plugin before (K). */
  readonly retry?: boolean;
}

interface SlotWaiter {
  readonly grant: (item: QueueItem, evict: string | null) => void;
}

export interface QueueStanding {
  /** Requests expected to start before it: 0 is the next. */
  readonly position: number;
  /** Null: nothing is known of its plugin's service times yet. */
  readonly estimatedWaitMs: number | null;
}

export class Scheduler {
  private readonly queue: ReadyQueue<QueueItem>;
  private readonly limits: Limits;
  private readonly atDoor = new Map<string, (outcome: 'admitted' | 'queue_full') => void>();
  private readonly attempts = new Map<string, SlotWaiter>();
  private readonly running = new Map<string, QueueItem>();
  private readonly serviceTimes = new ServiceTimes();
  private readonly heldBack = new HeldBack();
  /** Have a slot here and found no seat: about to give the slot back. */
  private readonly unseated = new Set<string>();
  /** What each waiting request waits for. */
  private readonly places = new Map<string, QueueItem>();
  private readonly loads = new PluginLoads();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly routing: RoutingSettings,
    private readonly plugins: PluginHost,
    private readonly now: () => number = Date.now,
    private readonly circuits: Pick<Circuits, 'slotsOf'> = closedCircuits,
  ) {
    const aging = {
      standardMs: seconds(routing.STANDARD_PRIORITY_AGING_SEC),
      flexMs: seconds(routing.FLEX_PRIORITY_AGING_SEC),
    };
    this.queue = new ReadyQueue({ capacity: routing.QUEUE_CAPACITY, aging });
    this.limits = new Limits({
      maxRunningPerOwner: routing.MAX_RUNNING_TASKS_PER_OWNER,
      maxRunningLocalBackends: routing.MAX_RUNNING_LOCAL_BACKENDS,
      aging,
      plugin: (pluginId) => this.pluginLimits(pluginId),
    });
  }

  /** A4: a place in the ready queue, at once or within 10 s of acceptance. `exempt`: it had one before. */
  enter(facts: RunFacts, exempt: boolean): Promise<'admitted' | 'queue_full'> {
    const item = itemOf(facts, facts.plan[0]!);
    this.wait(item);
    if (exempt) {
      this.queue.reenter(item);
      return Promise.resolve('admitted');
    }
    if (this.queue.enter(item) === 'admitted') return Promise.resolve('admitted');
    return new Promise((resolve) => {
      this.atDoor.set(item.taskId, resolve);
      this.pump();
    });
  }

  /**
   * Waits for a slot at this target. A request that left the queue for a backoff re-enters with its
   * original age (B5), and its plugin's retry budget may keep it waiting (K). Null: `signal` fired first.
   */
  slot(facts: RunFacts, target: SlotTarget, signal: AbortSignal): Promise<Slot | null> {
    if (signal.aborted) {
      this.leave(facts.taskId);
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const stop = (): void => {
        this.attempts.delete(facts.taskId);
        this.leave(facts.taskId);
        resolve(null);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.attempts.set(facts.taskId, {
        grant: (item, evict) => {
          signal.removeEventListener('abort', stop);
          resolve(this.occupied(item, evict));
        },
      });
      this.takePlace(itemOf(facts, target));
      this.pump();
    });
  }

  /** What a claim for this target has to find free where several processes share the limits (A5). */
  seatsOf(facts: RunFacts, target: Target): readonly Seat[] {
    const { pluginId, ownerId } = itemOf(facts, target);
    const plugin: Seat = { scope: 'plugin', id: pluginId, limit: this.pluginLimits(pluginId).maxConcurrentTasks };
    const limit = this.routing.MAX_RUNNING_TASKS_PER_OWNER;
    return limit === 0 ? [plugin] : [plugin, { scope: 'owner', id: ownerId, limit }];
  }

  /** A5: the claim found no seat: other processes have them all. Its like wait a little. */
  seatTaken(taskId: string, { scope, id }: Pick<Seat, 'scope' | 'id'>): void {
    this.unseated.add(taskId);
    this.heldBack.hold(scope, id, this.now());
  }

  /** A5: the claim found its seats, so others may try. */
  seated(facts: RunFacts, target: Target): void {
    this.heldBack.free(itemOf(facts, target));
    this.pump();
  }

  /** It waits here no longer. */
  leave(taskId: string): void {
    this.atDoor.delete(taskId);
    this.waitNoMore(taskId);
    if (this.queue.remove(taskId)) this.pump();
  }

  /** Where a waiting request stands; null: it does not wait here. */
  standing(taskId: string): QueueStanding | null {
    const item = this.queue.waiting().find((each) => each.taskId === taskId);
    const ahead = item && this.queue.ahead(taskId, this.now());
    if (!ahead) return null;
    const { pluginId } = item;
    const waitMs = estimatedWaitMs({
      ahead: ahead.filter((each) => each.pluginId === pluginId).length,
      running: this.limits.running(pluginId),
      places: this.pluginLimits(pluginId).maxConcurrentTasks,
      serviceMs: this.serviceTimes.of(pluginId),
    });
    return { position: ahead.length, estimatedWaitMs: waitMs };
  }

  snapshot(): { readonly capacity: number; readonly waiting: readonly QueueItem[]; readonly running: number } {
    return { capacity: this.routing.QUEUE_CAPACITY, waiting: this.queue.waiting(), running: this.running.size };
  }

  loadOf(pluginId: string): PluginLoad {
    return this.loads.of(pluginId);
  }

  /** Serving this model would make a local backend give up the one it holds (D4). */
  wouldSwap(target: Target): boolean {
    return this.limits.wouldSwap(target);
  }

  /** Bringing this model into memory took so long; the next decisions count with it. */
  loaded({ pluginId, modelId }: Target, loadMs: number): void {
    this.limits.loaded(pluginId, modelId, loadMs);
  }

  /** A backend's process ended: it holds no memory any more. */
  stopped(pluginId: string): void {
    this.limits.stopped(pluginId);
    this.pump();
  }

  /** For a next member of the plan the place must carry that member's plugin and model, for a retry that it is one. */
  private takePlace(item: QueueItem): void {
    const place = this.places.get(item.taskId);
    if (place && !isSamePlace(place, item)) this.queue.remove(item.taskId);
    this.wait(item);
    this.queue.reenter(item);
  }

  private wait(item: QueueItem): void {
    this.waitNoMore(item.taskId);
    this.places.set(item.taskId, item);
    this.loads.add(item.pluginId, { waiting: 1 });
  }

  private waitNoMore(taskId: string): void {
    const place = this.places.get(taskId);
    if (!place) return;
    this.places.delete(taskId);
    this.loads.add(place.pluginId, { waiting: -1 });
  }

  private occupied(item: QueueItem, evict: string | null): Slot {
    const since = this.now();
    let held = true;
    return {
      evict,
      release: () => {
        if (!held) return;
        held = false;
        this.running.delete(item.taskId);
        this.loads.add(item.pluginId, { running: -1 });
        this.limits.end(item, this.now());
        // A seat that it had is free now; one that it did not get is not.
        if (!this.unseated.delete(item.taskId)) {
          this.heldBack.free(item);
          this.serviceTimes.add(item.pluginId, this.now() - since);
        }
        this.pump();
      },
    };
  }

  /** Lets in, refuses and starts whatever is due, then sets the one timer for what comes next. */
  private pump(): void {
    const now = this.now();
    const { refused, admitted } = this.queue.tick(now);
    for (const item of refused) {
      this.waitNoMore(item.taskId);
      this.answerDoor(item.taskId, 'queue_full');
    }
    for (const item of admitted) this.answerDoor(item.taskId, 'admitted');
    for (;;) {
      const mayStart = this.limits.gate(this.queue.heads(), now);
      const item = this.queue.next(
        now,
        (each) => this.attempts.has(each.taskId) && mayStart(each) && !this.heldBack.isHeld(each, now),
      );
      if (!item) break;
      this.start(item, now);
    }
    this.wakeAt(earlier(this.queue.nextWakeAt(now), this.heldBack.nextPollAt(now)), now);
  }

  private start(item: QueueItem, now: number): void {
    const waiter = this.attempts.get(item.taskId)!;
    this.attempts.delete(item.taskId);
    this.heldBack.started(item, now);
    this.waitNoMore(item.taskId);
    const { evict } = this.limits.start(item, now);
    this.running.set(item.taskId, item);
    this.loads.add(item.pluginId, { running: 1 });
    waiter.grant(item, evict);
  }

  private answerDoor(taskId: string, outcome: 'admitted' | 'queue_full'): void {
    const answer = this.atDoor.get(taskId);
    this.atDoor.delete(taskId);
    answer?.(outcome);
  }

  private wakeAt(at: number | null, now: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (at === null) return;
    this.timer = setTimeout(() => this.pump(), Math.max(1, at - now));
    this.timer.unref();
  }

  /** A plugin that is gone lets its requests start all the same: their attempt then says what is missing. */
  private pluginLimits(pluginId: string): PluginLimits {
    const plugin = this.plugins.get(pluginId);
    return {
      maxConcurrentTasks: this.circuits.slotsOf(pluginId, plugin?.maxConcurrentTasks ?? 1),
      local: plugin?.manifest?.local ?? false,
      oneModelAtATime: plugin?.manifest?.oneModelAtATime ?? false,
    };
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function isSamePlace(one: QueueItem, other: QueueItem): boolean {
  return one.pluginId === other.pluginId && one.modelId === other.modelId && one.retry === other.retry;
}

function itemOf(facts: RunFacts, target: SlotTarget): QueueItem {
  return {
    taskId: facts.taskId,
    ownerId: `${facts.owner.kind}:${facts.owner.id}`,
    pluginId: target.pluginId,
    modelId: target.modelId,
    priority: facts.priority,
    enqueuedAt: facts.acceptedAt,
    retry: target.retry ?? false,
  };
}
