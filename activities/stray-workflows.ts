/**
 * O6: a process that died between the commit of a result and the end of its workflow leaves a workflow open on a
 * queue that nobody polls any more. The ledger has its end, so the workflow is closed. Those of open tasks are the
 * recovery sweep's: it starts them anew under the same id.
 */
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Store } from '../store/store';
import { INFERENCE_WORKFLOW, processTaskQueue } from '../workflows/contract';

export interface StrayDeps {
  readonly store: Store;
  readonly client: () => Client | null;
  readonly incarnation: string;
  /** A process that has not been heard of for this long is dead. */
  readonly staleProcessMs: number;
  readonly log: Logger;
  readonly now: () => number;
}

export class StrayWorkflows {
  private closing: Promise<void> | null = null;

  constructor(private readonly deps: StrayDeps) {}

  /** One pass; a second call joins the first. Never rejects: the next pass finds what this one missed. */
  close(): Promise<void> {
    this.closing ??= this.pass()
      .catch((error: unknown) => this.deps.log.warn({ err: error }, 'stray workflows could not be closed'))
      .finally(() => (this.closing = null));
    return this.closing;
  }

  private async pass(): Promise<void> {
    const { client, incarnation, log } = this.deps;
    const workflows = client()?.workflow;
    if (!workflows) return;
    const living = await this.livingQueues();
    const query =
      `WorkflowType = '${INFERENCE_WORKFLOW}' AND ExecutionStatus = 'Running'` +
      ` AND TaskQueue != '${processTaskQueue(incarnation)}'`;
    let closed = 0;
    for await (const { workflowId, runId, taskQueue } of workflows.list({ query })) {
      if (living.has(taskQueue) || !(await this.hasEnded(workflowId))) continue;
      await workflows.getHandle(workflowId, runId).terminate('the task has ended').catch(ignoreClosed);
      closed += 1;
    }
    if (closed > 0) log.info({ closed }, 'workflows of ended tasks were left open by a process that died; closed them');
  }

  private async livingQueues(): Promise<ReadonlySet<string>> {
    const { store, now, staleProcessMs } = this.deps;
    const processes = await store.processes.list();
    const living = processes.filter(
      ({ stoppedAt, heartbeatAt }) => stoppedAt === null && heartbeatAt >= now() - staleProcessMs,
    );
    return new Set(living.map(({ incarnation }) => processTaskQueue(incarnation)));
  }

  private async hasEnded(taskId: string): Promise<boolean> {
    const task = await this.deps.store.tasks.get(taskId);
    // A task that is not in this ledger can be another installation's on the same engine.
    return task !== null && task.finishedAt !== null;
  }
}

/** It closed by itself between the look and the word. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
}
