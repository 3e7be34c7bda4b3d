/** The requests this process is working on: what an attempt needs and the database need not tell again. */
import type { AttemptResult, Operation, Priority, Target } from '../workflows/contract';
import type { OwnerRef } from '../store/records';
import type { Requirements } from '../workflows/rules/routing/requirements';
import type { Delivery } from './delivery';

/** What a request to a virtual model keeps of it. */
export interface VirtualRequest {
  /** Model ids as of acceptance, in case the virtual model is deleted meanwhile. */
  readonly members: readonly string[];
  /** Null: to be read from the body. */
  readonly requirements: Requirements | null;
}

export interface RunFacts {
  readonly taskId: string;
  readonly operation: Operation;
  readonly owner: OwnerRef;
  readonly accountId: string;
  /** The name the client asked for; answers keep it (D5). */
  readonly model: string;
  /** Null: the plan is one model's. */
  readonly virtual: VirtualRequest | null;
  /** In the order in which they are to be tried; empty: it is deferred from the start, or chooses anew. */
  readonly plan: readonly Target[];
  readonly priority: Priority;
  readonly stream: boolean;
  /** Nobody waits for it: its answer is fetched later. */
  readonly background: boolean;
  /** C8: at shutdown it goes back to the ledger instead of being cancelled (background or keyed work). */
  readonly outlivesProcess: boolean;
  /** Taken over from an earlier run, so calls may have been made already. */
  readonly resumed: boolean;
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  /** The parsed body, or null when it must be read from the store (a taken-over request). */
  readonly body: Readonly<Record<string, unknown>> | null;
}

/**
 * `queued`: in the ready queue or at its door. `calling`: an attempt holds a slot. `backoff`: a retry is
 * scheduled with the engine. `deferred`: so is the end of a cooldown. `ended`: settled.
 */
export type RunPhase = 'queued' | 'calling' | 'backoff' | 'deferred' | 'ended';

export class Run {
  phase: RunPhase = 'queued';
  /** True once the engine may have a workflow of it. */
  startedWorkflow = false;
  /** Which of the workflow's runs is ours; null until the engine has told. */
  workflowRunId: string | null = null;
  /** The attempt activity at work on it, which then sees to its end. */
  attempt: Promise<AttemptResult> | null = null;
  /** True once an attempt of this process has worked on it, so that its workflow is on our queue. */
  attempted = false;
  /** When the engine should have called for the next attempt; null: at the queue's door, or one is at work. */
  attemptDueAt: number | null = null;
  /** Gives back what was taken for it. */
  onEnd: (() => void) | null = null;
  /** Why it is being ended early; set once. */
  stopReason: string | null = null;
  /** Where it waits or calls now, or called last; null: to be chosen. */
  target: Target | null;
  /** Plugins it must not go to any more, e.g. because they are being recovered (F4). */
  readonly avoided = new Set<string>();
  /**
   * Plugins at which a call of this run failed: another call there is a retry. With none, and no earlier run,
   * there is nothing to be read from the ledger.
   */
  readonly failedAt = new Set<string>();
  /** The plan in the ledger as JSON text; null: as accepted. */
  storedPlan: string | null = null;
  /** As read from the body, once somebody has asked. */
  requirements: Requirements | null;
  private step: AbortController | null = null;
  /** The call that is running: where, and when it last gave a sign of life. */
  call: { readonly pluginId: string; progressAt: number } | null = null;
  private readonly controller = new AbortController();
  private deadline: NodeJS.Timeout | null = null;

  constructor(
    readonly facts: RunFacts,
    readonly delivery: Delivery,
  ) {
    this.target = facts.plan[0] ?? null;
    this.requirements = facts.virtual?.requirements ?? null;
  }

  get attempting(): boolean {
    return this.attempt !== null;
  }

  /** Fires when the request is to end early: cancelled, past its deadline, lease lost. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends it early; the first reason stays. False: it was stopping already. */
  stop(reason: string): boolean {
    if (this.stopReason !== null || this.phase === 'ended') return false;
    this.stopReason = reason;
    this.controller.abort(reason);
    this.step?.abort(reason);
    return true;
  }

  /** A signal for one wait or call at `target`: fires when that, or the whole request, is to end. */
  enter(target: Target): AbortSignal {
    this.target = target;
    this.step = new AbortController();
    if (this.stopReason !== null) this.step.abort(this.stopReason);
    return this.step.signal;
  }

  /** Ends what it waits for or calls now; the request itself goes on elsewhere. */
  interrupt(): void {
    this.step?.abort('interrupted');
  }

  /** The backend gave a sign of life. */
  progress(at: number): void {
    if (this.call) this.call.progressAt = at;
  }

  armDeadline(now: number, onDeadline: () => void): void {
    this.deadline = setTimeout(onDeadline, Math.max(0, this.facts.deadlineAt - now));
    this.deadline.unref();
  }

  end(): void {
    this.phase = 'ended';
    this.target = null;
    this.onEnd?.();
    this.onEnd = null;
    if (this.deadline) clearTimeout(this.deadline);
  }
}

export class Runs {
  private readonly byId = new Map<string, Run>();
  private readonly emptyListeners = new Set<() => void>();
  private readonly removalListeners = new Set<(run: Run) => void>();

  add(run: Run): void {
    this.byId.set(run.facts.taskId, run);
  }

  get(taskId: string): Run | undefined {
    return this.byId.get(taskId);
  }

  remove(taskId: string): void {
    const run = this.byId.get(taskId);
    run?.end();
    this.byId.delete(taskId);
    if (run) for (const listener of this.removalListeners) listener(run);
    if (this.byId.size === 0) for (const listener of this.emptyListeners) listener();
  }

  /** Told of each run as it is forgotten. */
  onRemoved(listener: (run: Run) => void): void {
    this.removalListeners.add(listener);
  }

  get size(): number {
    return this.byId.size;
  }

  all(): readonly Run[] {
    return [...this.byId.values()];
  }

  /** Resolves once nothing is left. */
  async emptied(): Promise<void> {
    if (this.byId.size === 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.emptyListeners.delete(done);
        resolve();
      };
      this.emptyListeners.add(done);
    });
  }
}
