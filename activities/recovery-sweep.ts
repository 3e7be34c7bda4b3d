/**
 * Finds tasks nobody works on (their process died, their lease expired, their start was lost) and
 * sees each one to its end by `workflows/rules/recovery.ts` (C1, C2). Runs at startup and again and
 * again; living processes' work is left alone.
 */
import type { Logger } from 'pino';
import type { TaskRecord } from '../store/records';
import type { Store } from '../store/store';
import { recover } from '../workflows/rules/recovery';
import type { Catalogue } from './catalogue';
import { stoppedEnding } from './ending';
import type { EngineClient } from './engine-client';
import type { RequestDispatcher } from './request-dispatcher';
import type { RunFacts, Runs, VirtualRequest } from './runs';
import type { RunWatch } from './run-watch';
import type { Settlements } from './settlement';

export interface RecoveryDeps {
  readonly store: Store;
  readonly runs: Runs;
  readonly catalogue: Catalogue;
  readonly dispatcher: RequestDispatcher;
  readonly settlements: Settlements;
  /** Asked first on each pass: a run that moved meanwhile must not be started again. */
  readonly watch: RunWatch;
  readonly engineClient: () => EngineClient | null;
  readonly incarnation: string;
  /** A process that has not been heard of for this long is dead. */
  readonly staleProcessMs: number;
  /** When the system ran out of memory and ended the run before (C3); null or absent when it did not. */
  readonly oomKilledAt?: number | null;
  readonly log: Logger;
  readonly now: () => number;
}

/** Orphans looked at in one pass; the next pass takes the rest. */
const BATCH = 200;
const FORGET_KEYS_EVERY_MS = 600_000;

export class RecoverySweep {
  private timer: NodeJS.Timeout | null = null;
  private forgotKeysAt = 0;
  private running: Promise<void> | null = null;

  constructor(private readonly deps: RecoveryDeps) {}

  start(everyMs: number): void {
    this.timer = setInterval(() => void this.pass(), everyMs);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  /** One pass; a second call joins the first. Never rejects. */
  pass(): Promise<void> {
    this.running ??= this.sweep()
      .catch((error: unknown) =>
        this.deps.log.error({ err: error }, 'the recovery sweep failed; it runs again shortly'),
      )
      .finally(() => (this.running = null));
    return this.running;
  }

  private async sweep(): Promise<void> {
    const { store, now, staleProcessMs, runs, incarnation } = this.deps;
    await this.deps.settlements.retryEndings();
    // After a pause longer than the stale time our own heartbeat would make orphans of our own requests.
    await store.processes.heartbeat(incarnation, now());
    await this.deps.watch.look();
    const orphans = await store.queue.orphans(now(), BATCH, staleProcessMs);
    for (const task of orphans) if (!runs.get(task.id)) await this.resolve(task);
    void this.deps.dispatcher.startOverdue();
    if (store.kind === 'postgres') await store.queue.recountSeats();
    await this.forgetExpiredKeys();
  }

  /** Housekeeping of A9: a key past its time is only dead weight, so now and then will do. */
  private async forgetExpiredKeys(): Promise<void> {
    const { store, now } = this.deps;
    if (now() - this.forgotKeysAt < FORGET_KEYS_EVERY_MS) return;
    this.forgotKeysAt = now();
    await store.tasks.forgetExpiredKeys(now());
  }

  private async resolve(task: TaskRecord): Promise<void> {
    const { store, catalogue, settlements, dispatcher, incarnation, log, now } = this.deps;
    const body = await store.tasks.requestBody(task.id);
    const virtual = virtualOf(task, catalogue);
    const decision = recover({
      hasRequestBody: body !== null,
      targetKnown:
        virtual !== null ||
        task.plan.some((entry) => entry.dropped === null && catalogue.find(entry.modelId) !== undefined),
      deadlineAt: task.deadlineAt,
      cancelRequested: task.cancelRequested,
      takeovers: task.takeovers,
      given: task.given,
      background: task.background,
      now: now(),
    });
    if (decision.kind !== 'requeue') {
      const reason = this.attributed(decision.reason, task);
      const ended = await settlements.endOrphan(task.id, stoppedEnding(reason));
      if (ended) log.info({ task: task.id, reason }, 'an orphaned task was ended');
      return;
    }
    // Without an engine it could only be failed: it stays an orphan until the engine is back (C6).
    if (!this.deps.engineClient()?.ready) return;
    if (!(await store.queue.takeOver(task.id, incarnation, now(), this.deps.staleProcessMs))) return;
    log.info({ task: task.id, takeovers: task.takeovers + 1 }, 'an orphaned task was taken over');
    dispatcher.resume(runFactsOf(task, body, virtual));
  }

  /** C3: a restart that memory exhaustion caused is named so for the tasks it met. */
  private attributed(reason: string, task: TaskRecord): string {
    const { oomKilledAt = null } = this.deps;
    const met = reason === 'server_restarted' && oomKilledAt !== null && task.updatedAt < oomKilledAt;
    return met ? 'system_memory_exhausted' : reason;
  }
}

/** Null: the task's model is one of the catalogue. A virtual model that is deleted lives on in its tasks' plans. */
export function virtualOf({ model, plan }: TaskRecord, catalogue: Catalogue): VirtualRequest | null {
  const known = catalogue.virtual(model);
  if (!known && (catalogue.find(model) || plan.length < 2)) return null;
  return { members: known?.members ?? plan.map(({ modelId }) => modelId), requirements: null };
}

/** What a run needs, from the ledger. */
export function runFactsOf(task: TaskRecord, body: string | null, virtual: VirtualRequest | null): RunFacts {
  return {
    taskId: task.id,
    operation: task.operation,
    owner: task.owner,
    accountId: task.accountId,
    model: task.model,
    virtual,
    // A virtual model's member is chosen anew.
    plan: virtual ? [] : task.plan.filter((entry) => entry.dropped === null),
    priority: task.priority,
    stream: task.stream,
    background: task.background,
    // Taken over once, so nobody waits for it here.
    outlivesProcess: true,
    resumed: true,
    acceptedAt: task.acceptedAt,
    deadlineAt: task.deadlineAt,
    body: body === null ? null : (JSON.parse(body) as Record<string, unknown>),
  };
}
