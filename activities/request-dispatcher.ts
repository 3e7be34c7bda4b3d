/**
 * The request path from acceptance to the start of its workflow, and the ways a request ends before
 * an attempt takes it. See docs/architecture.md, "One request".
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Store } from '../store/store';
import type { InferenceInput, Target } from '../workflows/contract';
import { INFERENCE_WORKFLOW, processTaskQueue } from '../workflows/contract';
import { admit, requestBudget } from '../workflows/rules/admission';
import { BodyBudget } from './body-budget';
import { Delivery, type DeliverySink } from './delivery';
import type { DiskSpace } from './disk-space';
import type { AcceptRefusal, Dispatcher, QueueState, SubmitOutcome, Submission } from './dispatcher';
import type { EngineClient } from './engine-client';
import { faultPoint } from './fault-point';
import { Gate } from './gate';
import { stoppedEnding } from './ending';
import { pause } from './pause';
import type { Router } from './router';
import { Run, type RunFacts, type Runs } from './runs';
import type { QueueStanding, Scheduler } from './scheduler';
import type { Settlements } from './settlement';
import type { TaskFeed } from './task-feed';
import type { DispatchSettings } from './timings';

export interface DispatchDeps {
  readonly store: Store;
  readonly runs: Runs;
  readonly scheduler: Scheduler;
  readonly router: Router;
  readonly settlements: Settlements;
  readonly engineClient: () => EngineClient | null;
  readonly disk: DiskSpace;
  readonly feed: TaskFeed;
  readonly incarnation: string;
  readonly settings: DispatchSettings;
  readonly log: Logger;
  readonly now: () => number;
  /** Writes down what a run gives, where its client may read it later. */
  readonly record: (run: Run) => void;
  /** Delivers the stored answer of a task to a client once it has ended. */
  readonly followStored: (taskId: string, sink: DeliverySink) => Promise<void>;
}

/** A start that the engine does not answer within this time ends the request (C6). */
const START_TIMEOUT_MS = 9_000;
/** Starts at the engine at once: a burst's thousands would each wait for all the others, past START_TIMEOUT_MS (A7). */
const BEGINNING_AT_ONCE = 64;
/** The engine has this long to call for an attempt before it is asked whether it still knows the workflow. */
const OVERDUE_MS = 20_000;
/** Starts at once when many are overdue, as after the loss of the engine's state. */
const STARTS_AT_ONCE = 16;
/** How long attempts get to end once told to; what does not is recovered by the next process. */
const ENDING_MS = 5_000;

/** F12. */
const MEMORY_FULL = refused(
  'request_memory_full',
  'The bodies of unfinished requests fill the memory set aside for them; send the request again in a moment.',
);

export class RequestDispatcher implements Dispatcher {
  /** How many workflows were started, and how many of them the engine handed straight back to our worker. */
  readonly starts = { total: 0, eager: 0 };
  private closing = false;
  private readonly bodies: BodyBudget;
  private startingOverdue = false;
  private readonly starting = new Gate(BEGINNING_AT_ONCE);

  constructor(private readonly deps: DispatchDeps) {
    this.bodies = new BodyBudget(deps.settings.maxBodyBytes);
  }

  async submit(submission: Submission, sink: DeliverySink | null): Promise<SubmitOutcome> {
    const bytes = Buffer.byteLength(submission.body);
    let held = false;
    try {
      const refusal = await this.refusal(submission.background);
      if (refusal) return { kind: 'refused', refusal };
      held = this.bodies.take(bytes);
      return held ? await this.accept(submission, sink) : MEMORY_FULL;
    } finally {
      const run = this.deps.runs.get(submission.id);
      const giveBack = (): void => this.bodies.giveBack(held ? bytes : 0);
      if (run) run.onEnd = giveBack;
      else {
        giveBack();
        // What routing reserved for a request that did not become one of ours.
        this.deps.router.unbind(submission.id);
      }
    }
  }

  /** A1, A3, A9. */
  private async accept(submission: Submission, sink: DeliverySink | null): Promise<SubmitOutcome> {
    const { store, settings, incarnation, now } = this.deps;
    const acceptedAt = now();
    const { parsedBody, clientTimeoutMs, virtual, ...task } = submission;
    const { stream, background } = submission;
    const { deadlineAt } = requestBudget({
      stream,
      background,
      clientTimeoutMs,
      timeouts: settings.timeouts,
      now: acceptedAt,
    });
    faultPoint('before-accept');
    const outcome = await store.tasks.accept({ ...task, acceptedAt, deadlineAt, incarnation }, settings.hardLimit);
    faultPoint('after-accept');
    if (outcome.kind === 'capacity_exceeded') {
      return refused(
        'capacity_exceeded',
        'SoAI holds as many unfinished requests as it may; send the request again later.',
      );
    }
    if (outcome.kind === 'duplicate') return outcome.sameBody ? this.join(outcome.taskId, sink) : { kind: 'conflict' };

    const keyed = submission.idempotency !== null;
    const outlivesProcess = background || keyed;
    const plan = task.plan.filter(({ dropped }) => dropped === null);
    const facts = {
      ...task,
      plan,
      virtual,
      taskId: task.id,
      acceptedAt,
      deadlineAt,
      body: parsedBody,
      outlivesProcess,
    };
    const run = this.addRun({ ...facts, resumed: false }, keyed);
    if (sink) run.delivery.attach(sink);
    void this.begin(run, false);
    return { kind: 'accepted', taskId: submission.id, leave: () => this.leave(submission.id, sink) };
  }

  /** Runs a task this process took over: same path, nobody waiting, exempt from the queue's door. */
  resume(facts: RunFacts): Run {
    const run = this.addRun(facts, false);
    void this.begin(run, true);
    return run;
  }

  /** Makes a run for a task whose workflow calls before this process knows it. */
  adopt(facts: RunFacts): Run {
    return this.addRun(facts, false);
  }

  async purge(pluginId: string, reason: 'plugin_recovery'): Promise<number> {
    const there = this.deps.runs.all().filter((run) => run.target?.pluginId === pluginId && run.stopReason === null);
    const calling = there.filter(({ phase }) => phase === 'calling').map(({ attempt }) => Promise.resolve(attempt));
    for (const run of there) {
      if (run.facts.virtual === null || run.delivery.given) {
        this.stop(run.facts.taskId, reason);
      } else {
        run.avoided.add(pluginId);
        run.interrupt();
      }
    }
    await Promise.race([Promise.allSettled(calling), pause(ENDING_MS)]);
    return there.length;
  }

  async cancel(taskId: string, reason: string): Promise<boolean> {
    const task = await this.deps.store.tasks.requestCancel(taskId, reason, this.deps.now());
    if (!task || task.finishedAt !== null) return false;
    if (this.deps.runs.get(taskId)) this.stop(taskId, reason);
    else if (!(await this.deps.settlements.endOrphan(taskId, stoppedEnding(reason)))) {
      // A run of another process is told by its own watch.
      await this.deps.settlements.end(taskId, stoppedEnding(reason));
    }
    return true;
  }

  /** Ends a run early. An attempt at work sees to it; otherwise it is ended here. */
  stop(taskId: string, reason: string): void {
    const run = this.deps.runs.get(taskId);
    if (!run?.stop(reason)) return;
    this.deps.scheduler.leave(taskId);
    if (run.attempting) return;
    void this.deps.settlements.endStopped(run);
    // A task that moved has a workflow of the same id in the other process, which is not to be cancelled.
    if (run.startedWorkflow && reason !== 'lease_lost') this.cancelWorkflow(taskId, run.workflowRunId);
  }

  standing(taskId: string): QueueStanding | null {
    return this.deps.scheduler.standing(taskId);
  }

  snapshot(): QueueState {
    const deferred = this.deps.runs.all().filter(({ phase }) => phase === 'backoff' || phase === 'deferred').length;
    return { ...this.deps.scheduler.snapshot(), deferred };
  }

  loadOf(pluginId: string): { readonly running: number; readonly waiting: number } {
    return this.deps.scheduler.loadOf(pluginId);
  }

  /** No more work from here on (C8). */
  close(): void {
    this.closing = true;
  }

  /**
   * C8, after the drain: keyed and background work goes back to the ledger for the next process,
   * the rest is ended.
   */
  async endLeftovers(): Promise<void> {
    const { runs, settlements } = this.deps;
    for (const run of runs.all()) {
      run.stop('shutting_down');
      this.deps.scheduler.leave(run.facts.taskId);
    }
    // Attempts at work end their own; those that wait nowhere are ended here.
    const idle = runs.all().filter((run) => !run.attempting);
    await Promise.all(idle.map((run) => settlements.endStopped(run)));
    await Promise.race([runs.emptied(), pause(ENDING_MS)]);
  }

  private async refusal(background: boolean): Promise<AcceptRefusal | null> {
    if (this.closing) return refusal('shutting_down', 'SoAI is shutting down; send the request again in a moment.');
    // A background request is parked in the ledger until the engine is back (C6).
    if (!background && !this.deps.engineClient()?.ready) {
      return refusal('engine_unavailable', 'The workflow engine is not available; send the request again in a moment.');
    }
    const freeBytes = await this.deps.disk.freeBytes();
    if (!admit({ freeBytes, floorBytes: this.deps.settings.minFreeBytes }).accept) {
      return refusal(
        'insufficient_storage',
        'Too little disk space is left to accept requests; an operator has to free some.',
      );
    }
    return null;
  }

  private join(taskId: string, sink: DeliverySink | null): SubmitOutcome {
    const run = this.deps.runs.get(taskId);
    if (sink && !run?.delivery.attach(sink)) this.follow(taskId, sink);
    return { kind: 'accepted', taskId, leave: () => this.leave(taskId, sink) };
  }

  private addRun(facts: RunFacts, joinable: boolean): Run {
    const run = new Run(facts, new Delivery(joinable));
    this.deps.runs.add(run);
    this.deps.record(run);
    run.armDeadline(this.deps.now(), () => {
      const onCooldown = run.phase === 'deferred' && facts.virtual !== null;
      this.stop(facts.taskId, onCooldown ? 'backends_on_cooldown' : 'deadline_exceeded');
    });
    return run;
  }

  private async begin(run: Run, takenOver: boolean): Promise<void> {
    const { taskId } = run.facts;
    this.deps.feed.changed(taskId);
    // With nothing to try yet it is deferred, and holds no place meanwhile (B5).
    const admitted = run.facts.plan.length === 0 ? 'admitted' : await this.deps.scheduler.enter(run.facts, takenOver);
    if (run.stopReason !== null || run.phase === 'ended') return;
    if (admitted === 'queue_full') return this.stop(taskId, 'queue_full');
    run.delivery.admitted();
    try {
      await this.starting.pass(async () => {
        if (run.stopReason !== null || run.phase === 'ended') return;
        run.attemptDueAt = this.deps.now();
        await this.startWorkflow(run, takenOver);
      });
    } catch (error) {
      this.deps.log.warn({ err: error, task: taskId }, 'the workflow of a task could not be started');
      // What nobody waits for is parked until the engine is back (C6): `startOverdue` sees to it.
      if (run.delivery.awaited) this.stop(taskId, 'engine_unavailable');
    }
  }

  /**
   * C6: starts workflows that the engine should have called us for and has not: it was away, or has lost its state.
   * One that it still has is left as it is. The recovery sweep calls this on each pass; never rejects.
   */
  async startOverdue(): Promise<void> {
    if (this.startingOverdue || this.closing || !this.deps.engineClient()?.ready) return;
    this.startingOverdue = true;
    const before = this.deps.now() - OVERDUE_MS;
    const overdue = this.deps.runs.all().filter(({ attemptDueAt }) => attemptDueAt !== null && attemptDueAt <= before);
    try {
      for (let at = 0; at < overdue.length; at += STARTS_AT_ONCE) {
        await Promise.all(overdue.slice(at, at + STARTS_AT_ONCE).map((run) => this.startAgain(run)));
      }
    } catch (error) {
      this.deps.log.warn({ err: error, overdue: overdue.length }, 'overdue workflows could not be started');
    } finally {
      this.startingOverdue = false;
    }
  }

  /** E5: the circuit that background requests are parked at has closed before its time. Never rejects. */
  async wakeParked(pluginId: string): Promise<void> {
    if (this.closing || !this.deps.engineClient()?.ready) return;
    const parked = this.deps.runs.all().filter((run) => isParkedAt(run, pluginId));
    try {
      for (let at = 0; at < parked.length; at += STARTS_AT_ONCE) {
        const batch = parked.slice(at, at + STARTS_AT_ONCE).filter((run) => isParkedAt(run, pluginId));
        // The workflow waits for the next try, which can't be brought forward: a new one tries at once.
        await Promise.all(batch.map((run) => this.startWorkflow(run, true)));
      }
    } catch (error) {
      // Those left are tried when their time is up.
      this.deps.log.warn({ err: error, plugin: pluginId }, 'parked requests could not be woken');
    }
  }

  private async startAgain(run: Run): Promise<void> {
    if (run.attemptDueAt === null || run.stopReason !== null || run.phase === 'ended') return;
    // Before any attempt here, a workflow of that id can only be a dead process's.
    await this.startWorkflow(run, run.facts.resumed && !run.attempted);
  }

  private async startWorkflow(run: Run, takenOver: boolean): Promise<void> {
    const client = this.deps.engineClient()?.client;
    if (!client) throw new Error('the workflow engine is not available');
    const { facts } = run;
    const input: InferenceInput = {
      taskId: facts.taskId,
      plan: facts.virtual ? [] : facts.plan.map(({ modelId, pluginId }): Target => ({ modelId, pluginId })),
      budgetMs: Math.max(1, facts.deadlineAt - this.deps.now()),
      retry: this.deps.settings.retry,
      ...(facts.virtual ? { virtual: true } : {}),
    };
    faultPoint('before-workflow-start');
    run.startedWorkflow = true;
    if (run.attemptDueAt !== null) run.attemptDueAt = this.deps.now();
    try {
      const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
        client.workflow.start(INFERENCE_WORKFLOW, {
          workflowId: facts.taskId,
          taskQueue: processTaskQueue(this.deps.incarnation),
          args: [input],
          requestEagerStart: true,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          // A run of a dead process would block the id; its late result is fenced off anyway (C1).
          workflowIdConflictPolicy: takenOver ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
        }),
      );
      faultPoint('after-workflow-start');
      this.starts.total += 1;
      run.workflowRunId = handle.firstExecutionRunId;
      if (handle.eagerlyStarted) this.starts.eager += 1;
    } catch (error) {
      // A start whose answer was lost: the workflow is there, which is what was wanted.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  private leave(taskId: string, sink: DeliverySink | null): void {
    const run = this.deps.runs.get(taskId);
    if (!run || !sink || run.delivery.ended) return;
    if (run.delivery.detach(sink) === 0) void this.cancel(taskId, 'client_disconnected');
  }

  private cancelWorkflow(taskId: string, runId: string | null): void {
    const client = this.deps.engineClient()?.client;
    // Only tidiness: the ledger has the end already, and a late attempt finds it there.
    client?.workflow
      .getHandle(taskId, runId ?? undefined)
      .cancel()
      .catch(() => undefined);
  }

  private follow(taskId: string, sink: DeliverySink): void {
    void this.deps.followStored(taskId, sink);
  }
}

function refusal(code: AcceptRefusal['code'], message: string): AcceptRefusal {
  return { code, message };
}

function refused(code: AcceptRefusal['code'], message: string): SubmitOutcome {
  return { kind: 'refused', refusal: refusal(code, message) };
}

function isParkedAt({ phase, stopReason, attempting, facts }: Run, pluginId: string): boolean {
  const parked = phase === 'deferred' && stopReason === null && !attempting;
  return parked && facts.virtual === null && facts.plan[0]?.pluginId === pluginId;
}
