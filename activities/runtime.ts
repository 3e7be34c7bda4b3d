/** Puts the request path together. Everything that lives as long as the process is made here, once. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Settings } from '../config/schema';
import type { Store } from '../store/store';
import { admit } from '../workflows/rules/admission';
import { Attempts } from './attempt';
import { watchBackendMemory } from './backend-memory';
import { Catalogue } from './catalogue';
import { CircuitReports } from './circuit-reports';
import type { Circuits } from './circuits';
import { DiskSpace } from './disk-space';
import { Downloads } from './downloads';
import { patientQueue } from './patient-queue';
import { pause } from './pause';
import type { Engine } from './engine';
import { EngineClient } from './engine-client';
import { stoppedEnding } from './ending';
import { withHeartbeat } from './heartbeat';
import { Leases } from './leases';
import { guardedPlugins } from './guardian/hosted-plugins';
import { PluginHealth } from './plugin-health';
import type { PluginHost } from './plugin-host';
import { PluginLife } from './plugins/plugin-life';
import { RecoverySweep, runFactsOf, virtualOf } from './recovery-sweep';
import { replanWaitingRuns } from './replanning';
import { RunWatch } from './run-watch';
import { ResponseLogs } from './response-logs';
import { RequestDispatcher } from './request-dispatcher';
import { Router } from './router';
import { type Run, Runs } from './runs';
import { Scheduler } from './scheduler';
import { Settlements } from './settlement';
import { StoredAnswers } from './stored-answer';
import { StrayWorkflows } from './stray-workflows';
import { TaskFeed } from './task-feed';
import { callDeadlines, dispatchSettings, routerSettings, seconds } from './timings';
import { startWebhook } from './webhook/webhook';

export interface RuntimeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly engine: Engine;
  readonly bundlePath: string;
  readonly dataDir: string;
  readonly cacheDir: string;
  /** Of SoAI, as its package.json has it. */
  readonly version: string;
  /** When the system ran out of memory and ended the run before (C3). */
  readonly oomKilledAt?: number | null;
  readonly log: Logger;
}

/** Tasks that can wait or run inside an attempt besides the ready queue's. */
const ATTEMPTS_BEYOND_QUEUE = 1_000;
/** Only crashes leave any, and each start looks at once. */
const STRAY_WORKFLOWS_EVERY_MS = 60_000;

export class Runtime {
  readonly incarnation = randomUUID();
  readonly runs = new Runs();
  readonly feed = new TaskFeed();
  readonly circuits: Circuits;
  readonly health: PluginHealth;
  readonly catalogue: Catalogue;
  readonly responseLogs: ResponseLogs;
  readonly plugins: PluginHost;
  readonly pluginLife: PluginLife;
  readonly downloads: Downloads;
  readonly scheduler: Scheduler;
  readonly router: Router;
  readonly dispatcher: RequestDispatcher;
  readonly sweep: RecoverySweep;
  private readonly disk: DiskSpace;
  private readonly settlements: Settlements;
  private readonly leases: Leases;
  private readonly attempts: Attempts;
  private readonly watch: RunWatch;
  private engineClient: EngineClient | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private readonly strays: StrayWorkflows;
  private readonly endWebhook: () => Promise<void>;
  private strayTimer: NodeJS.Timeout | null = null;

  constructor(private readonly options: RuntimeOptions) {
    const { settings, store, dataDir, cacheDir, log } = options;
    const routing = settings.MODELS.ROUTING;
    const leaseMs = seconds(routing.DURABLE_QUEUE_LEASE_TTL_SEC);
    const { runs, feed, incarnation } = this;
    const answers = new StoredAnswers(store, feed);
    const follow = (run: Run): void => {
      runs.remove(run.facts.taskId);
      run.delivery.follow((sink) => answers.deliver(run.facts.taskId, sink));
    };
    const engineClient = (): EngineClient | null => this.engineClient;

    this.disk = new DiskSpace(dataDir);
    this.responseLogs = new ResponseLogs(store);
    this.catalogue = new Catalogue(settings, store.catalogue, Date.now(), log);
    this.pluginLife = new PluginLife({
      settings,
      store,
      dataDir,
      cacheDir,
      version: options.version,
      models: () => this.catalogue.all(),
      load: (pluginId) => this.scheduler.loadOf(pluginId),
      log,
    });
    this.plugins = this.pluginLife.host;
    const now = Date.now;
    this.downloads = new Downloads({
      store: store.downloads,
      filesOf: (id) => this.plugins.get(id)?.adapter?.files,
      host: hostname(),
      log,
      now: Date.now,
      pause: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
    });
    this.settlements = new Settlements({
      store,
      runs,
      feed,
      incarnation,
      staleProcessMs: leaseMs,
      log,
      follow,
      now,
    });
    this.leases = new Leases(store.queue, incarnation, leaseMs, log);
    this.health = new PluginHealth({
      routing,
      store,
      plugins: guardedPlugins(this.plugins, this.pluginLife.integrity, runs, (pluginId) =>
        this.dispatcher.purge(pluginId, 'plugin_recovery'),
      ),
      client: () => this.engineClient?.client ?? null,
      engine: options.engine,
      incarnation,
      bundlePath: options.bundlePath,
      log,
    });
    this.circuits = this.health.circuits;
    this.endWebhook = startWebhook({ settings: settings.WEBHOOK, plugins: this.plugins, circuits: this.circuits, log });
    this.scheduler = new Scheduler(routing, this.plugins, Date.now, this.circuits);
    this.router = new Router({
      catalogue: this.catalogue,
      plugins: this.plugins,
      circuits: this.circuits,
      scheduler: this.scheduler,
      // No model or plugin is closed to an account that may send requests at all.
      mayUse: () => true,
      settings: routerSettings(routing),
      now: Date.now,
    });
    const reports = new CircuitReports(this.circuits);
    runs.onRemoved(({ facts: { taskId }, stopReason }) => {
      this.router.unbind(taskId);
      void reports.ended(taskId, stopReason);
    });
    replanWaitingRuns({ ...this, runs, dispatcher: () => this.dispatcher });
    watchBackendMemory(this);
    this.dispatcher = new RequestDispatcher({
      store,
      runs,
      scheduler: this.scheduler,
      router: this.router,
      settlements: this.settlements,
      engineClient,
      disk: this.disk,
      feed,
      incarnation,
      settings: dispatchSettings(routing),
      log,
      now: Date.now,
      record: (run) => this.responseLogs.record(run),
      followStored: (taskId, sink) => answers.deliver(taskId, sink),
    });
    this.attempts = new Attempts({
      store: { ...store, queue: patientQueue(store.queue, { ms: leaseMs / 2, now, pause }) },
      runs,
      scheduler: this.scheduler,
      leases: this.leases,
      plugins: this.plugins,
      catalogue: this.catalogue,
      circuits: this.circuits,
      reports,
      router: this.router,
      settlements: this.settlements,
      feed,
      responseLogs: this.responseLogs,
      incarnation,
      leaseMs,
      deadlines: callDeadlines(routing.TIMEOUTS),
      now: Date.now,
      random: Math.random,
      adopt: (taskId) => this.adopt(taskId),
      stop: (taskId, reason) => this.dispatcher.stop(taskId, reason),
      follow,
    });
    this.watch = new RunWatch({
      store,
      runs,
      incarnation,
      log,
      stop: (taskId, reason) => this.dispatcher.stop(taskId, reason),
    });
    this.sweep = new RecoverySweep({
      store,
      runs,
      catalogue: this.catalogue,
      dispatcher: this.dispatcher,
      settlements: this.settlements,
      watch: this.watch,
      engineClient,
      incarnation,
      staleProcessMs: leaseMs,
      oomKilledAt: options.oomKilledAt ?? null,
      log,
      now: Date.now,
    });
    this.strays = new StrayWorkflows({
      store,
      client: () => this.engineClient?.client ?? null,
      incarnation,
      staleProcessMs: leaseMs,
      log,
      now,
    });
  }

  get log(): Logger {
    return this.options.log;
  }

  get store(): Store {
    return this.options.store;
  }

  get engineReady(): boolean {
    return this.engineClient?.ready ?? false;
  }

  /** As last read: too little space to accept requests (A2). */
  get diskFull(): boolean {
    const floorBytes = this.options.settings.MODELS.ROUTING.MIN_FREE_DISK_BYTES_FOR_ACCEPT;
    return !admit({ freeBytes: this.disk.lastFreeBytes, floorBytes }).accept;
  }

  async refreshDiskSpace(): Promise<void> {
    await this.disk.freeBytes();
  }

  async start(): Promise<void> {
    const { settings, store, engine, bundlePath, log } = this.options;
    const routing = settings.MODELS.ROUTING;
    await store.processes.register({
      incarnation: this.incarnation,
      pid: process.pid,
      host: hostname(),
      startedAt: Date.now(),
      heartbeatAt: Date.now(),
      stoppedAt: null,
    });
    this.beat(seconds(routing.DURABLE_QUEUE_LEASE_TTL_SEC) / 3);
    await this.pluginLife.start();
    await this.health.start(await this.isAlone());
    await this.catalogue.refresh();
    this.catalogue.watch();
    this.pluginLife.preload();
    await this.downloads.resume();
    this.engineClient = new EngineClient({
      engine,
      incarnation: this.incarnation,
      bundlePath,
      activities: {
        attempt: (input) =>
          withHeartbeat(
            () => this.attempts.attempt(input),
            () => this.dispatcher.stop(input.taskId, 'cancelled'),
          ),
        settle: async ({ taskId, reason }) => void (await this.settlements.end(taskId, stoppedEnding(reason))),
      },
      maxAttempts: routing.QUEUE_CAPACITY + ATTEMPTS_BEYOND_QUEUE,
      beside: this.health.workers,
      log,
    });
    this.engineClient.onReady(() => void this.sweep.pass());
    this.engineClient.onReady(() => void this.strays.close());
    this.strayTimer = setInterval(() => void this.strays.close(), STRAY_WORKFLOWS_EVERY_MS);
    this.strayTimer.unref();
    await this.sweep.pass();
    this.sweep.start(seconds(routing.DURABLE_QUEUE_RECOVERY_SWEEP_SEC));
    // A SQLite ledger has one process: nobody else can have moved anything.
    if (store.kind === 'postgres') this.watch.start();
  }

  /** Resolves when the worker polls, or when `ms` have passed without that. */
  async untilEngineReady(ms: number): Promise<boolean> {
    const client = this.engineClient;
    if (!client || client.ready) return client?.ready ?? false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      client.onReady(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** C8: no new work, drain, hand back or end what is left. The store stays open. */
  async stop(drainMs: number): Promise<void> {
    this.dispatcher.close();
    await this.sweep.stop();
    await Promise.race([this.runs.emptied(), pause(drainMs)]);
    await this.dispatcher.endLeftovers();
    this.responseLogs.close();
    this.leases.stop();
    this.watch.end();
    this.health.stop();
    await this.endWebhook();
    await this.engineClient?.stop();
    this.catalogue.stop();
    await this.downloads.stop();
    await this.pluginLife.stop();
    if (this.heartbeat) clearInterval(this.heartbeat);
    if (this.strayTimer) clearInterval(this.strayTimer);
    await this.options.store.processes.stopped(this.incarnation, Date.now());
  }

  private beat(everyMs: number): void {
    const { store, log } = this.options;
    this.heartbeat = setInterval(() => {
      store.processes
        .heartbeat(this.incarnation, Date.now())
        .catch((error: unknown) => log.warn({ err: error }, 'the process heartbeat could not be written'));
    }, everyMs);
    this.heartbeat.unref();
  }

  /** No other process works on this ledger. A SQLite one has a single process. */
  private async isAlone(): Promise<boolean> {
    const { store, settings } = this.options;
    if (store.kind === 'sqlite') return true;
    const heardOfSince = Date.now() - seconds(settings.MODELS.ROUTING.DURABLE_QUEUE_LEASE_TTL_SEC);
    const others = (await store.processes.list()).filter(({ incarnation }) => incarnation !== this.incarnation);
    return !others.some(({ stoppedAt, heartbeatAt }) => stoppedAt === null && heartbeatAt >= heardOfSince);
  }

  private async adopt(taskId: string): Promise<ReturnType<RequestDispatcher['adopt']> | null> {
    const task = await this.options.store.tasks.get(taskId);
    if (!task || task.finishedAt !== null) return null;
    const body = await this.options.store.tasks.requestBody(taskId);
    return this.dispatcher.adopt(runFactsOf(task, body, virtualOf(task, this.catalogue)));
  }
}
