/** A real Temporal server, a worker and scriptable activities for workflow tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, bundleWorkflowCode } from '@temporalio/worker';
import pino from 'pino';
import { startEmbeddedTemporal, untilUp } from '../../activities/temporal-server';
import type { ControlActivities, InferenceActivities } from '../../workflows/contract';

export interface WorkflowBench {
  readonly client: Client;
  readonly taskQueue: string;
  /** Replaced by each test. */
  activities: InferenceActivities;
  /** Replaced by each test. */
  control: ControlActivities;
  stop(): Promise<void>;
}

const WORKFLOWS = path.join(__dirname, '..', '..', 'workflows', 'index.ts');

/** Bundles the workflows as the build does, and fails when they reach for something they may not use. */
export function bundle(): Promise<{ code: string }> {
  return bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: quiet });
}

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export async function startWorkflowBench(): Promise<WorkflowBench> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'soai-workflows-'));
  const engine = await startEmbeddedTemporal({ dataDir, namespace: 'soai-test', log: pino({ level: 'silent' }) });
  await untilUp(engine, 60_000);
  Runtime.install({ shutdownSignals: [], logger: quiet });
  const connection = await NativeConnection.connect({ address: engine.address });
  const taskQueue = 'workflow-tests';
  const bench: Pick<WorkflowBench, 'activities' | 'control'> = { activities: unexpected, control: unexpectedControl };
  const worker = await Worker.create({
    connection,
    namespace: engine.namespace,
    taskQueue,
    workflowBundle: await bundle(),
    activities: {
      attempt: (input) => bench.activities.attempt(input),
      settle: (input) => bench.activities.settle(input),
      publishCircuit: (publication) => bench.control.publishCircuit(publication),
      publishGuardian: (publication) => bench.control.publishGuardian(publication),
      watchPlugin: (input) => bench.control.watchPlugin(input),
      recoverPlugin: (input) => bench.control.recoverPlugin(input),
      quarantinePlugin: (input) => bench.control.quarantinePlugin(input),
    } satisfies InferenceActivities & ControlActivities,
    // Cancellations come with the answers to heartbeats.
    maxHeartbeatThrottleInterval: 50,
  });
  const running = worker.run();
  return Object.assign(bench, {
    client: new Client({ connection, namespace: engine.namespace }),
    taskQueue,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
}

const refuse = (): Promise<never> => Promise.reject(new Error('no activity was expected'));

const unexpected: InferenceActivities = { attempt: refuse, settle: refuse };

const unexpectedControl: ControlActivities = {
  publishCircuit: refuse,
  publishGuardian: refuse,
  watchPlugin: refuse,
  recoverPlugin: refuse,
  quarantinePlugin: refuse,
};
