/**
 * The workflow engine of the simulated world: one workflow a request, walking its plan as
 * `workflows/inference-request.ts` does, its activities delivered to the process that started it.
 * It outlives processes; during an outage (frozen) nothing is delivered and starts go unanswered.
 */
import type { EngineClient } from '../../activities/engine-client';
import type { AttemptInput, AttemptResult, InferenceInput } from '../../workflows/contract';
import { DEADLINE_SLACK_MS, HEARTBEAT_TIMEOUT_MS, MAX_ACTIVITY_TRIES } from '../../workflows/rules/attempt-limits';
import type { SeededRandom } from './random';
import type { SimulatedTime } from './simulated-time';

export const ENGINE = 'engine';

/** Mean of one way between a process and the engine, ms. */
const WAY_MS = 4;

/** A process's worker: the activities that the engine may call. */
export interface Worker {
  readonly incarnation: string;
  attempt(input: AttemptInput): Promise<AttemptResult>;
  settle(taskId: string, reason: string): Promise<void>;
  /** The engine tells a running attempt that its workflow was cancelled. */
  cancelled(taskId: string): void;
}

interface Workflow {
  readonly runId: string;
  readonly input: InferenceInput;
  readonly worker: Worker;
  target: number;
  tries: number;
  /** The try whose result counts; results of older ones are dropped. */
  current: number;
  /** A process works on the current try. */
  atWork: boolean;
  closed: boolean;
}

interface StartOptions {
  readonly workflowId: string;
  readonly args: readonly [InferenceInput];
  readonly workflowIdConflictPolicy: 'TERMINATE_EXISTING' | 'USE_EXISTING';
}

export class SimulatedEngine {
  private readonly workflows = new Map<string, Workflow>();
  private runs = 0;

  constructor(
    private readonly time: SimulatedTime,
    private readonly random: SeededRandom,
  ) {}

  /** What `RequestDispatcher` uses of the engine's client. */
  clientOf(worker: Worker): EngineClient {
    const isUp = (): boolean => !this.time.isFrozen(ENGINE);
    const workflow = {
      start: (_type: string, options: StartOptions) => this.start(worker, options),
      getHandle: (taskId: string, runId?: string) => ({ cancel: () => this.cancel(taskId, runId) }),
    };
    const client = {
      workflow,
      withDeadline: <T>(deadline: number, act: () => Promise<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          this.time.after(deadline - this.time.now, worker.incarnation, () => reject(new Error('DEADLINE_EXCEEDED')));
          act().then(resolve, reject);
        }),
    };
    return {
      get ready() {
        return isUp();
      },
      client,
    } as unknown as EngineClient;
  }

  /** A process has said nothing for `HEARTBEAT_TIMEOUT_MS`: what it works on is tried again. */
  missedHeartbeats(incarnation: string): void {
    for (const workflow of this.workflows.values()) {
      if (workflow.worker.incarnation === incarnation && workflow.atWork) this.again(workflow, 0);
    }
  }

  static readonly heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS;

  private start(
    worker: Worker,
    options: StartOptions,
  ): Promise<{ readonly eagerlyStarted: boolean; readonly firstExecutionRunId: string }> {
    const { workflowId, args, workflowIdConflictPolicy } = options;
    return new Promise((resolve) => {
      this.toEngine(() => {
        const existing = this.workflows.get(workflowId);
        const keep = existing?.closed === false && workflowIdConflictPolicy === 'USE_EXISTING';
        let runId = existing?.runId ?? '';
        if (!keep) {
          if (existing) existing.closed = true;
          const [input] = args;
          runId = `r${(this.runs += 1)}`;
          const workflow = { runId, input, worker, target: 0, tries: 0, current: 0, atWork: false, closed: false };
          this.workflows.set(workflowId, workflow);
          this.next(workflow);
        }
        this.toProcess(worker, () => resolve({ eagerlyStarted: false, firstExecutionRunId: runId }));
      });
    });
  }

  private cancel(taskId: string, runId?: string): Promise<void> {
    this.toEngine(() => {
      const workflow = this.workflows.get(taskId);
      if (!workflow || workflow.closed || (runId !== undefined && workflow.runId !== runId)) return;
      if (workflow.atWork) this.toProcess(workflow.worker, () => workflow.worker.cancelled(taskId));
      this.end(workflow, 'cancelled');
    });
    return Promise.resolve();
  }

  /** Goes on to the next target of the plan. */
  private next(workflow: Workflow): void {
    workflow.tries = 0;
    this.deliver(workflow);
    const activity = workflow.target;
    this.time.after(workflow.input.budgetMs + DEADLINE_SLACK_MS, ENGINE, () => {
      if (!workflow.closed && workflow.target === activity) this.end(workflow, 'deadline_exceeded');
    });
  }

  private deliver(workflow: Workflow): void {
    const { taskId, plan, retry } = workflow.input;
    const target = plan[workflow.target];
    if (!target) return this.end(workflow, 'no_eligible_member');
    workflow.tries += 1;
    const current = ++workflow.current;
    const input = { taskId, target, last: workflow.target === plan.length - 1, retry };
    const isCurrent = (): boolean => !workflow.closed && workflow.current === current;
    const answered = (act: () => void): void => this.toEngine(() => isCurrent() && act());
    this.toProcess(workflow.worker, () => {
      if (!isCurrent()) return;
      workflow.atWork = true;
      workflow.worker.attempt(input).then(
        (result) => answered(() => this.took(workflow, result)),
        (error: unknown) => answered(() => this.again(workflow, delayOf(error) ?? retry.baseDelayMs)),
      );
    });
  }

  private took(workflow: Workflow, result: AttemptResult): void {
    workflow.atWork = false;
    workflow.current += 1;
    if (result.kind === 'settled') workflow.closed = true;
    else {
      workflow.target += 1;
      this.next(workflow);
    }
  }

  private again(workflow: Workflow, delayMs: number): void {
    workflow.atWork = false;
    const current = ++workflow.current;
    if (workflow.tries >= MAX_ACTIVITY_TRIES) return this.end(workflow, 'internal_error');
    this.time.after(delayMs, ENGINE, () => {
      if (!workflow.closed && workflow.current === current) this.deliver(workflow);
    });
  }

  private end(workflow: Workflow, reason: string): void {
    workflow.closed = true;
    this.toProcess(workflow.worker, () => void workflow.worker.settle(workflow.input.taskId, reason));
  }

  private toEngine(act: () => void): void {
    this.time.after(this.random.around(WAY_MS), ENGINE, act);
  }

  private toProcess({ incarnation }: Worker, act: () => void): void {
    this.time.after(this.random.around(WAY_MS), ENGINE, () => this.time.after(0, incarnation, act));
  }
}

function delayOf(error: unknown): number | null {
  const delay = (error as { readonly nextRetryDelay?: unknown } | null)?.nextRetryDelay;
  return typeof delay === 'number' ? delay : null;
}
