/**
 * What must hold of one process's ready queue whenever its scheduler has gone over it (A4-A6):
 *
 * - Places: more than QUEUE_CAPACITY only by re-entries (B5); nobody waits at the door beside a free place.
 * - Halves (A4): while another owner's or plugin's request waits at the door, none holds more than half.
 *   Checked while the capacity is even and re-entries have not over-filled the queue.
 * - Work is conserved: no placed request whose attempt waits and whose caps are free is left waiting.
 * - Aging (A6): of two starts in a row at a plugin, at most one passes over the request that was the
 *   oldest of the top class, past its aging time and free to start there. With work conserved, that
 *   request starts within its aging time, or once it is the oldest, plus one service time of its plugin.
 * - Retry budget (K): a retry that starts is one of three running at its plugin, or of a fifth of all there.
 */
import type { Scheduler } from '../../activities/scheduler';
import type { Limits } from '../../workflows/rules/limits';
import type { QueueItem, ReadyQueue } from '../../workflows/rules/ready-queue';
import type { Scenario } from './scenario';
import type { Violations } from './violations';

/** What a scheduler keeps to itself. */
export interface SchedulerState {
  readonly queue: ReadyQueue<QueueItem>;
  readonly limits: Limits;
  readonly atDoor: ReadonlyMap<string, unknown>;
  readonly attempts: ReadonlyMap<string, unknown>;
  readonly running: ReadonlyMap<string, QueueItem>;
}

export function stateOf(scheduler: Scheduler): SchedulerState {
  return scheduler as unknown as SchedulerState;
}

interface Watched {
  readonly state: SchedulerState;
  readonly scenario: Scenario;
  readonly report: (oracle: string, what: string) => void;
}

export function watchQueue(scheduler: Scheduler, scenario: Scenario, violations: Violations): void {
  const state = stateOf(scheduler);
  const { queue } = state;
  const watched = { state, scenario, report: (oracle: string, what: string) => violations.report(oracle, what) };
  const [next, tick] = [queue.next.bind(queue), queue.tick.bind(queue)];
  const [nextWakeAt, reenter] = [queue.nextWakeAt.bind(queue), queue.reenter.bind(queue)];
  const passedOver = new Set<string>();
  let allowed = scenario.capacity;

  queue.reenter = (item) => {
    const before = queue.size;
    reenter(item);
    allowed += queue.size - before;
  };
  queue.next = (now, canStart) => {
    const due = overdueNext(queue.placed().filter(canStart), scenario, now);
    const started = next(now, canStart);
    if (started) {
      checkAge(started, due, passedOver, watched);
      checkRetryBudget(started, watched);
    }
    return started;
  };
  queue.tick = (now) => {
    const changes = tick(now);
    checkPlaces(watched, allowed);
    allowed = Math.max(scenario.capacity, queue.size);
    checkHalves(watched);
    return changes;
  };
  // The last thing that the scheduler asks when it has started all it may.
  queue.nextWakeAt = (now) => {
    checkIdle(watched, now);
    return nextWakeAt(now);
  };
}

/** The oldest of the top class among these, if anybody is past its aging time. */
function overdueNext(startable: readonly QueueItem[], scenario: Scenario, now: number): QueueItem | null {
  const agingMs = {
    high: 0,
    standard: scenario.standardAgingSec * 1_000,
    flex: scenario.flexAgingSec * 1_000,
  };
  const top = startable.filter(({ priority, enqueuedAt }) => enqueuedAt + agingMs[priority] <= now);
  if (top.every(({ priority }) => priority === 'high')) return null;
  return top.reduce((oldest, item) => (item.enqueuedAt < oldest.enqueuedAt ? item : oldest));
}

function checkAge(started: QueueItem, due: QueueItem | null, passedOver: Set<string>, { report }: Watched): void {
  const { pluginId } = started;
  const passes = due?.pluginId === pluginId && started.enqueuedAt > due.enqueuedAt;
  if (!passes) passedOver.delete(pluginId);
  else if (passedOver.has(pluginId)) report('A6 aging', `${started.taskId} started, the second before ${due.taskId}`);
  else passedOver.add(pluginId);
}

function checkRetryBudget({ taskId, pluginId, retry }: QueueItem, { state: { running }, report }: Watched): void {
  if (!retry) return;
  const there = [...running.values()].filter((item) => item.pluginId === pluginId);
  const retries = 1 + there.filter((item) => item.retry).length;
  if (retries > 3 && retries * 5 > there.length + 1)
    report('K retry budget', `${taskId} is retry ${retries} at ${pluginId}`);
}

function checkPlaces({ state: { queue }, scenario: { capacity }, report }: Watched, allowed: number): void {
  if (queue.size > allowed) report('A4 capacity', `${queue.size} places of ${capacity} are taken`);
  if (queue.atDoor > 0 && queue.size < capacity) report('A4 door', `${queue.atDoor} wait beside a free place`);
}

function checkHalves({ state: { queue }, scenario: { capacity }, report }: Watched): void {
  if (queue.atDoor === 0 || queue.size > capacity || capacity % 2 === 1) return;
  const placed = new Set(queue.placed());
  const atDoor = queue.waiting().filter((item) => !placed.has(item));
  for (const party of ['ownerId', 'pluginId'] as const) {
    for (const holder of new Set([...placed].map((item) => item[party]))) {
      const holds = [...placed].filter((item) => item[party] === holder).length;
      const others = atDoor.some((item) => item[party] !== holder);
      if (others && holds > capacity / 2)
        report('A4 halves', `${holder} holds ${holds} of ${capacity} while another waits`);
    }
  }
}

function checkIdle({ state: { queue, limits, attempts }, report }: Watched, now: number): void {
  if (attempts.size === 0) return;
  const mayStart = limits.gate(queue.heads(), now);
  const idle = queue.placed().find((item) => attempts.has(item.taskId) && mayStart(item));
  if (idle) report('A5 work conserved', `${idle.taskId} may start and does not`);
}
