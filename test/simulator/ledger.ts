/**
 * The database of the simulated world: the tables and conditional statements of `store/queue.ts`,
 * `store/tasks.ts` and `store/acceptance.ts`, each statement at one instant.
 */
import type {
  AttemptEnd,
  AttemptRecord,
  AcceptOutcome,
  Answer,
  Claim,
  NewTask,
  Settlement,
  TaskRecord,
} from '../../store/records';
import type { Target } from '../../workflows/contract';

type Open<T> = { -readonly [Key in keyof T]: T[Key] };
export type TaskRow = Open<TaskRecord>;
export type AttemptRow = Open<AttemptRecord> & { readonly holder: string };

interface QueueItemRow {
  readonly enqueuedAt: number;
  incarnation: string;
  holder: string | null;
  leaseUntil: number;
  fence: number;
  attempts: number;
  cancelRequested: boolean;
}

interface ProcessState {
  heartbeatAt: number;
  stoppedAt: number | null;
}

export interface LedgerObserver {
  /** Told of every end that is written, the second of a task included. */
  ended(task: TaskRow, before: TaskRow['state']): void;
  /** A run has written what became of its claim; `newest` is the fence that it had to hold. */
  wrote(taskId: string, fence: number, newest: number): void;
  /** A process has ended a task without a claim; `owner` is the one that was to run it. */
  settled(taskId: string, by: string, owner: string): void;
}

export class Ledger {
  readonly tasks = new Map<string, TaskRow>();
  readonly items = new Map<string, QueueItemRow>();
  readonly attempts = new Map<string, AttemptRow[]>();
  readonly bodies = new Map<string, string>();
  readonly answers = new Map<string, Answer>();
  readonly processes = new Map<string, ProcessState>();
  private readonly keys = new Map<string, string>();

  constructor(private readonly observer: LedgerObserver) {}

  accept(task: NewTask, hardLimit: number): AcceptOutcome {
    const key = task.idempotency && `${task.owner.id} ${task.idempotency.route} ${task.idempotency.key}`;
    const bound = key && this.keys.get(key);
    if (bound) return { kind: 'duplicate', taskId: bound, sameBody: this.bodies.get(bound) === task.body };
    if (hardLimit > 0 && this.items.size >= hardLimit) return { kind: 'capacity_exceeded' };
    if (key) this.keys.set(key, task.id);
    this.tasks.set(task.id, {
      ...task,
      state: 'queued',
      reason: null,
      sentence: null,
      servedBy: null,
      startedAt: null,
      finishedAt: null,
      updatedAt: task.acceptedAt,
      takeovers: 0,
      cancelRequested: null,
      given: false,
      badLines: 0,
      usage: null,
      firstTokenMs: null,
      queueMs: null,
    });
    this.bodies.set(task.id, task.body);
    this.attempts.set(task.id, []);
    this.items.set(task.id, {
      enqueuedAt: task.acceptedAt,
      incarnation: task.incarnation,
      holder: null,
      leaseUntil: 0,
      fence: 0,
      attempts: 0,
      cancelRequested: false,
    });
    return { kind: 'accepted' };
  }

  claim(taskId: string, target: Target, holder: string, now: number, leaseMs: number): Claim | null {
    const item = this.items.get(taskId);
    if (item?.incarnation !== holder || item.cancelRequested) return null;
    item.holder = holder;
    item.leaseUntil = now + leaseMs;
    item.fence += 1;
    item.attempts += 1;
    this.abandon(taskId, 'lost', now);
    this.attemptsOf(taskId).push({
      taskId,
      number: item.attempts,
      fence: item.fence,
      target,
      startedAt: now,
      finishedAt: null,
      outcome: 'running',
      code: null,
      httpStatus: null,
      sentence: null,
      retryDelayMs: null,
      holder,
    });
    const task = this.tasks.get(taskId)!;
    task.state = 'running';
    task.startedAt ??= now;
    return { fence: item.fence, attempt: item.attempts };
  }

  renew(holder: string, taskIds: readonly string[], now: number, leaseMs: number): string[] {
    return taskIds.filter((taskId) => {
      const item = this.items.get(taskId);
      if (item?.holder !== holder) return false;
      item.leaseUntil = now + leaseMs;
      return true;
    });
  }

  release(taskId: string, fence: number, end: AttemptEnd): boolean {
    const item = this.items.get(taskId);
    if (!item || !this.isFenceOf(item, fence)) return false;
    this.observer.wrote(taskId, fence, item.fence);
    item.holder = null;
    this.endAttempt(taskId, item.attempts, end);
    this.tasks.get(taskId)!.state = 'queued';
    return true;
  }

  finish(taskId: string, fence: number, end: AttemptEnd, settlement: Settlement): boolean {
    const item = this.items.get(taskId);
    if (!item || !this.isFenceOf(item, fence)) return false;
    this.observer.wrote(taskId, fence, item.fence);
    this.endAttempt(taskId, item.attempts, end);
    this.endTask(taskId, settlement);
    return true;
  }

  orphans(now: number, limit: number, staleProcessMs: number): TaskRow[] {
    const found = [...this.items].filter(([, item]) => this.isAbandoned(item, now, staleProcessMs));
    found.sort(([, a], [, b]) => a.enqueuedAt - b.enqueuedAt);
    return found.slice(0, limit).map(([taskId]) => this.tasks.get(taskId)!);
  }

  takeOver(taskId: string, incarnation: string, now: number, staleProcessMs: number): boolean {
    const item = this.items.get(taskId);
    if (!item || !this.isAbandoned(item, now, staleProcessMs)) return false;
    const task = this.tasks.get(taskId)!;
    task.takeovers += item.holder === null ? 0 : 1;
    task.incarnation = item.incarnation = incarnation;
    task.state = 'queued';
    item.fence += 1;
    item.holder = null;
    this.abandon(taskId, 'lost', now);
    return true;
  }

  requestCancel(taskId: string, reason: string, at: number): TaskRow | null {
    const item = this.items.get(taskId);
    const task = this.tasks.get(taskId);
    if (item && task && !item.cancelRequested) {
      item.cancelRequested = true;
      task.cancelRequested = { at, reason };
    }
    return task ?? null;
  }

  standing(incarnation: string, taskIds: readonly string[]): Map<string, { readonly cancelRequested: boolean }> {
    const found = new Map<string, { readonly cancelRequested: boolean }>();
    for (const taskId of taskIds) {
      const item = this.items.get(taskId);
      if (item?.incarnation === incarnation) found.set(taskId, { cancelRequested: item.cancelRequested });
    }
    return found;
  }

  endOrphan(taskId: string, settlement: Settlement, now: number, staleProcessMs: number): boolean {
    const item = this.items.get(taskId);
    if (!item || !this.isAbandoned(item, now, staleProcessMs)) return false;
    this.endUnheld(taskId, settlement);
    return true;
  }

  settle(taskId: string, incarnation: string, settlement: Settlement): boolean {
    const item = this.items.get(taskId);
    if (!item || !this.isOwnerOf(item, incarnation)) return false;
    this.observer.settled(taskId, incarnation, item.incarnation);
    this.endUnheld(taskId, settlement);
    return true;
  }

  private endUnheld(taskId: string, settlement: Settlement): void {
    this.abandon(taskId, settlement.state === 'cancelled' ? 'cancelled' : 'lost', settlement.at);
    this.endTask(taskId, settlement);
  }

  unbindIdempotency(taskId: string): void {
    for (const [key, bound] of this.keys) if (bound === taskId) this.keys.delete(key);
  }

  attemptsOf(taskId: string): AttemptRow[] {
    return this.attempts.get(taskId) ?? [];
  }

  /** C1: the fence tells a late writer that it lost. */
  isFenceOf(item: { readonly fence: number; readonly holder: string | null }, fence: number): boolean {
    return item.holder !== null && item.fence === fence;
  }

  /** C1: a task ends by whoever is to run it. */
  isOwnerOf(item: { readonly incarnation: string }, incarnation: string): boolean {
    return item.incarnation === incarnation;
  }

  private isAbandoned(item: QueueItemRow, now: number, staleProcessMs: number): boolean {
    if (item.holder !== null) return item.leaseUntil <= now || this.processes.get(item.holder)?.stoppedAt !== null;
    const process = this.processes.get(item.incarnation);
    return !process || process.stoppedAt !== null || process.heartbeatAt < now - staleProcessMs;
  }

  private abandon(taskId: string, outcome: 'lost' | 'cancelled', at: number): void {
    const open = this.attemptsOf(taskId).filter((attempt) => attempt.outcome === 'running');
    for (const attempt of open) Object.assign(attempt, { outcome, finishedAt: at });
  }

  private endAttempt(taskId: string, number: number, { at, ...end }: AttemptEnd): void {
    const attempt = this.attemptsOf(taskId).find((each) => each.number === number);
    if (attempt) Object.assign(attempt, end, { finishedAt: at });
  }

  private endTask(taskId: string, settlement: Settlement): void {
    const task = this.tasks.get(taskId)!;
    const before = task.state;
    this.items.delete(taskId);
    const { answer, at, given, ...ending } = settlement;
    Object.assign(task, ending, { given: task.given || given, finishedAt: at });
    if (answer) this.answers.set(taskId, answer);
    this.observer.ended(task, before);
  }
}
