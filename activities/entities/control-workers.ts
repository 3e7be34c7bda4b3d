/**
 * The workers of breakers and guardians: one on the queue that all processes share, and one on this
 * host's, for what touches backends here.
 */
import { Worker, type NativeConnection } from '@temporalio/worker';
import { CONTROL_TASK_QUEUE, nodeTaskQueue, type ControlActivities } from '../../workflows/contract';

export interface ControlWorkersOptions {
  readonly bundlePath: string;
  readonly activities: ControlActivities;
  readonly incarnation: string;
  readonly host: string;
}

/** One watch a plugin goes on for as long as it is well, so this bounds the plugins of a host. */
const ACTIVITIES_AT_ONCE = 1_000;
/** They have little to do, and each poll is a connection's stream. */
const POLLS = 2;
const MAX_CACHED_WORKFLOWS = 500;
const SHUTDOWN_GRACE_MS = 100;
const SHUTDOWN_FORCE_MS = 5_000;

export function controlWorkers(
  { bundlePath, activities, incarnation, host }: ControlWorkersOptions,
  connection: NativeConnection,
  namespace: string,
): Promise<readonly Worker[]> {
  const common = {
    connection,
    namespace,
    activities,
    identity: `soai-${incarnation}`,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
    maxConcurrentActivityTaskPolls: POLLS,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    shutdownForceTime: SHUTDOWN_FORCE_MS,
  };
  return Promise.all([
    Worker.create({
      ...common,
      taskQueue: CONTROL_TASK_QUEUE,
      workflowBundle: { codePath: bundlePath },
      maxConcurrentWorkflowTaskPolls: POLLS,
      maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
      workflowThreadPoolSize: 1,
    }),
    Worker.create({ ...common, taskQueue: nodeTaskQueue(host) }),
  ]);
}
