/**
 * This process's connection to Temporal and its worker. Neither `connect` nor `Worker.create` is
 * retried by the SDK, so both are supervised here: a new pair with backoff whenever one ends.
 */
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, makeTelemetryFilterString, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { InferenceActivities } from '../workflows/contract';
import { processTaskQueue } from '../workflows/contract';
import type { Engine } from './engine';

export interface EngineClientOptions {
  readonly engine: Engine;
  readonly incarnation: string;
  /** The prebuilt workflow bundle. */
  readonly bundlePath: string;
  readonly activities: InferenceActivities;
  /** Attempts at once: everything in the ready queue waits inside one. */
  readonly maxAttempts: number;
  /** More workers on the same connection, made once this one polls. */
  readonly beside?: (connection: NativeConnection, namespace: string) => Promise<readonly Worker[]>;
  readonly log: Logger;
}

const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 10_000;
const STATE_POLL_MS = 5;
/** How long activities get to give up their call when the worker is asked to stop. */
const SHUTDOWN_GRACE_MS = 1_000;
const SHUTDOWN_FORCE_MS = 5_000;
const MAX_CACHED_WORKFLOWS = 2_000;
const WORKFLOW_TASKS_AT_ONCE = 40;

export class EngineClient {
  private current: { readonly client: Client; readonly worker: Worker; beside: readonly Worker[] } | null = null;
  private stopping = false;
  private wake: (() => void) | null = null;
  private readonly loop: Promise<void>;
  private readonly readyListeners = new Set<() => void>();

  constructor(private readonly options: EngineClientOptions) {
    installRuntime(options.log);
    this.loop = this.superviseForever();
  }

  /** The client whose starts can be eager (it shares the worker's connection), or null while down. */
  get client(): Client | null {
    return this.options.engine.state === 'up' && this.current?.worker.getState() === 'RUNNING'
      ? this.current.client
      : null;
  }

  get ready(): boolean {
    return this.client !== null;
  }

  /** Called each time a worker starts to poll. */
  onReady(listener: () => void): void {
    this.readyListeners.add(listener);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake?.();
    if (this.current) shutDown([this.current.worker, ...this.current.beside]);
    await this.loop;
  }

  private async superviseForever(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!this.stopping) {
      try {
        await this.untilUp();
        if (this.stopping) return;
        await this.runOnce(() => (delay = FIRST_DELAY_MS));
      } catch (error) {
        this.options.log.warn({ err: error, retry_in_ms: delay }, 'the worker stopped; starting a new one');
      }
      if (this.stopping) return;
      await this.pause(delay);
      delay = Math.min(LAST_DELAY_MS, delay * 2);
    }
  }

  private async runOnce(onRunning: () => void): Promise<void> {
    const { engine, incarnation, bundlePath, activities, maxAttempts } = this.options;
    // gRPC compression costs more than it saves on loopback.
    const connection = await NativeConnection.connect({ address: engine.address, grpcCompression: { codec: 'none' } });
    try {
      const worker = await Worker.create({
        connection,
        namespace: engine.namespace,
        taskQueue: processTaskQueue(incarnation),
        workflowBundle: { codePath: bundlePath },
        activities,
        identity: `soai-${incarnation}`,
        maxConcurrentActivityTaskExecutions: maxAttempts,
        maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS_AT_ONCE,
        maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
        shutdownGraceTime: SHUTDOWN_GRACE_MS,
        shutdownForceTime: SHUTDOWN_FORCE_MS,
      });
      const client = new Client({ connection, namespace: engine.namespace });
      const current = { client, worker, beside: [] as readonly Worker[] };
      this.current = current;
      const running = worker.run();
      await Promise.race([running, untilRunning(worker)]);
      onRunning();
      for (const listener of this.readyListeners) listener();
      current.beside = (await this.options.beside?.(connection, engine.namespace)) ?? [];
      // `stop` may have come while they were being made.
      if (worker.getState() === 'RUNNING') await runTogether(worker, running, current.beside);
      else await running;
    } finally {
      this.current = null;
      await connection.close().catch(() => undefined);
    }
  }

  private async untilUp(): Promise<void> {
    const { engine } = this.options;
    if (engine.state === 'up') return;
    await new Promise<void>((resolve) => {
      const off = engine.onChange((state) => {
        if (state === 'up') done();
      });
      const done = (): void => {
        off();
        this.wake = null;
        resolve();
      };
      this.wake = done;
    });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
    });
  }
}

/** The first to end takes the others with it, since they share their connection. */
async function runTogether(first: Worker, firstRuns: Promise<void>, beside: readonly Worker[]): Promise<void> {
  const all = [first, ...beside];
  const runs = [firstRuns, ...beside.map((worker) => worker.run())];
  await Promise.all(runs.map((run) => run.finally(() => shutDown(all))));
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** The SDK tells the worker's state but no change of it. */
async function untilRunning(worker: Worker): Promise<void> {
  while (worker.getState() === 'INITIALIZED') await new Promise((resolve) => setTimeout(resolve, STATE_POLL_MS));
}

let runtimeInstalled = false;

/** Once a process. Signals are ours to handle (C8), so the SDK must not shut down on them itself. */
function installRuntime(log: Logger): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  const child = log.child({ source: 'temporal-sdk' });
  // The SDK's "info" is about its own inner life: of interest when something is being looked for.
  const write = (level: LogLevel, message: string, meta?: object): void => {
    const ours = level === 'INFO' ? 'debug' : (level.toLowerCase() as Lowercase<Exclude<LogLevel, 'INFO'>>);
    child[ours](meta ?? {}, message);
  };
  Runtime.install({
    shutdownSignals: [],
    logger: {
      log: write,
      trace: (message, meta) => write('TRACE', message, meta),
      debug: (message, meta) => write('DEBUG', message, meta),
      info: (message, meta) => write('INFO', message, meta),
      warn: (message, meta) => write('WARN', message, meta),
      error: (message, meta) => write('ERROR', message, meta),
    },
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
  });
}
