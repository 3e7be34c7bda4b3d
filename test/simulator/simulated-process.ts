/**
 * One SoAI process in the simulated world: the product's own request path (scheduler, attempts,
 * dispatcher, sweep, leases, settlements), put together as `activities/runtime.ts` does, over a
 * simulated store, engine and backends.
 */
import type { Logger } from 'pino';
import { Attempts } from '../../activities/attempt';
import type { Catalogue } from '../../activities/catalogue';
import type { DiskSpace } from '../../activities/disk-space';
import { stoppedEnding } from '../../activities/ending';
import { Leases } from '../../activities/leases';
import { pause } from '../../activities/pause';
import type { PluginHost } from '../../activities/plugin-host';
import { CircuitReports } from '../../activities/circuit-reports';
import { closedCircuits } from '../../activities/circuits';
import { NOT_QUARANTINED } from '../../activities/hosted-plugin';
import { RecoverySweep, runFactsOf } from '../../activities/recovery-sweep';
import { RunWatch } from '../../activities/run-watch';
import { RequestDispatcher } from '../../activities/request-dispatcher';
import { ResponseLogs } from '../../activities/response-logs';
import { Router } from '../../activities/router';
import { type Run, Runs } from '../../activities/runs';
import { Scheduler } from '../../activities/scheduler';
import { Settlements } from '../../activities/settlement';
import { StoredAnswers } from '../../activities/stored-answer';
import { TaskFeed } from '../../activities/task-feed';
import type { RoutingSettings } from '../../config/schema';
import type { Store } from '../../store/store';
import type { AttemptInput, AttemptResult } from '../../workflows/contract';
import { backendOf, type CallObserver } from './backend';
import type { SimulatedEngine, Worker } from './engine';
import type { SeededRandom } from './random';
import type { Scenario } from './scenario';
import type { SimulatedTime } from './simulated-time';

/** Factory settings (C1). */
export const LEASE_MS = 30_000;
export const SWEEP_MS = 5_000;

export const RETRY = { transientRetries: 3, rateLimitCalls: 10, maxCalls: 13, baseDelayMs: 1_000, maxDelayMs: 30_000 };

export interface Surroundings {
  readonly scenario: Scenario;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  readonly store: Store;
  readonly engine: SimulatedEngine;
  readonly observer: CallObserver;
}

const silent = { info() {}, warn() {}, error() {}, debug() {} } as unknown as Logger;

export class SimulatedProcess implements Worker {
  readonly runs = new Runs();
  readonly scheduler: Scheduler;
  readonly dispatcher: RequestDispatcher;
  readonly leases: Leases;
  readonly startedAt: number;
  /** It takes no more requests: it is shutting down, or gone. */
  closed = false;
  private readonly feed = new TaskFeed();
  private readonly settlements: Settlements;
  private readonly attempts: Attempts;
  private readonly sweep: RecoverySweep;
  private readonly watch: RunWatch;
  private heartbeat: NodeJS.Timeout | null = null;

  constructor(
    readonly incarnation: string,
    private readonly around: Surroundings,
  ) {
    const { scenario, time, random, store, engine } = around;
    const { runs, feed } = this;
    const now = (): number => time.now;
    this.startedAt = time.now;
    const model = (modelId: string) => ({ upstreamModel: modelId, enabled: true, capabilities: [] });
    const catalogue = { find: model, virtual: () => undefined } as unknown as Catalogue;
    const plugins = this.pluginHost();
    const answers = new StoredAnswers(store, feed);
    const engineClient = engine.clientOf(this);
    const follow = (run: Run): void => {
      runs.remove(run.facts.taskId);
      run.delivery.follow((sink) => answers.deliver(run.facts.taskId, sink));
    };
    const known = { store, runs, feed, incarnation, log: silent, now };
    this.settlements = new Settlements({ ...known, staleProcessMs: LEASE_MS, follow });
    this.watch = new RunWatch({ ...known, stop: (taskId, reason) => this.dispatcher.stop(taskId, reason) });
    this.leases = new Leases(store.queue, incarnation, LEASE_MS, silent, now);
    this.scheduler = new Scheduler(routingOf(scenario), plugins, now);
    const shared = { ...known, catalogue, settlements: this.settlements };
    const timeouts = {
      requestMs: scenario.requestMs,
      streamMs: scenario.streamMs,
      backgroundMs: scenario.backgroundMs,
    };
    const router = new Router({
      catalogue,
      plugins,
      circuits: closedCircuits,
      scheduler: this.scheduler,
      mayUse: () => true,
      settings: { windowMs: 15_000, rotate: true, triesPerMember: 1 },
      now,
    });
    this.dispatcher = new RequestDispatcher({
      ...shared,
      scheduler: this.scheduler,
      router,
      engineClient: () => engineClient,
      disk: { freeBytes: () => Promise.resolve(null) } as unknown as DiskSpace,
      settings: { hardLimit: scenario.hardLimit, minFreeBytes: 0, maxBodyBytes: 0, timeouts, retry: RETRY },
      record: () => undefined,
      followStored: (taskId, sink) => answers.deliver(taskId, sink),
    });
    this.attempts = new Attempts({
      ...shared,
      scheduler: this.scheduler,
      leases: this.leases,
      plugins,
      responseLogs: new ResponseLogs(store),
      circuits: closedCircuits,
      reports: new CircuitReports(closedCircuits),
      router,
      leaseMs: LEASE_MS,
      deadlines: { connectMs: 10_000, firstByteMs: scenario.firstByteMs, idleMs: 120_000 },
      random: () => random.next(),
      adopt: async (taskId) => {
        const task = await store.tasks.get(taskId);
        if (!task || task.finishedAt !== null) return null;
        return this.dispatcher.adopt(runFactsOf(task, await store.tasks.requestBody(taskId), null));
      },
      stop: (taskId, reason) => this.dispatcher.stop(taskId, reason),
      follow,
    });
    this.sweep = new RecoverySweep({
      ...shared,
      dispatcher: this.dispatcher,
      watch: this.watch,
      engineClient: () => engineClient,
      staleProcessMs: LEASE_MS,
    });
  }

  async start(): Promise<void> {
    const { store, time } = this.around;
    const { incarnation } = this;
    await store.processes.register({
      incarnation,
      pid: 1,
      host: 'h',
      startedAt: time.now,
      heartbeatAt: time.now,
      stoppedAt: null,
    });
    this.heartbeat = setInterval(() => void store.processes.heartbeat(incarnation, time.now), LEASE_MS / 3);
    await this.sweep.pass();
    this.sweep.start(SWEEP_MS);
    if (this.around.scenario.processes > 1) this.watch.start();
  }

  /** C8. */
  async stop(drainMs: number): Promise<void> {
    this.closed = true;
    this.dispatcher.close();
    await this.sweep.stop();
    await Promise.race([this.runs.emptied(), pause(drainMs)]);
    await this.dispatcher.endLeftovers();
    this.leases.stop();
    this.watch.end();
    if (this.heartbeat) clearInterval(this.heartbeat);
    await this.around.store.processes.stopped(this.incarnation, this.around.time.now);
  }

  attempt(input: AttemptInput): Promise<AttemptResult> {
    return this.attempts.attempt(input);
  }

  async settle(taskId: string, reason: string): Promise<void> {
    await this.settlements.end(taskId, stoppedEnding(reason));
  }

  cancelled(taskId: string): void {
    this.dispatcher.stop(taskId, 'cancelled');
  }

  private pluginHost(): PluginHost {
    const { scenario, time, random, observer } = this.around;
    const plugins = new Map(
      scenario.plugins.map((plugin) => {
        const { id, maxConcurrentTasks, local, oneModelAtATime } = plugin;
        const adapter = backendOf(plugin, { time, random, observer, incarnation: this.incarnation });
        const standing = { enabled: true, incompatible: null, quarantine: NOT_QUARANTINED, draining: false };
        return [id, { ...standing, maxConcurrentTasks, manifest: { local, oneModelAtATime }, adapter }] as const;
      }),
    );
    return { get: (id: string) => plugins.get(id) } as unknown as PluginHost;
  }
}

function routingOf(scenario: Scenario): RoutingSettings {
  return {
    QUEUE_CAPACITY: scenario.capacity,
    MAX_RUNNING_TASKS_PER_OWNER: scenario.maxRunningPerOwner,
    MAX_RUNNING_LOCAL_BACKENDS: scenario.maxRunningLocalBackends,
    STANDARD_PRIORITY_AGING_SEC: scenario.standardAgingSec,
    FLEX_PRIORITY_AGING_SEC: scenario.flexAgingSec,
  } as RoutingSettings;
}
