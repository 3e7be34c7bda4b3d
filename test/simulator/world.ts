/**
 * One simulated world: processes over one ledger, the engine, the backends, clients and faults, all
 * decided by one seed. `runSeed` lives it through and asks the oracles.
 */
import type { CallObserver } from './backend';
import { SimulatedClient } from './client';
import { BACK_IN_QUEUE_MS, checkEnd } from './end-oracles';
import { SimulatedEngine } from './engine';
import { Faults } from './faults';
import { Ledger } from './ledger';
import { storeOf } from './ledger-store';
import { watchQueue } from './queue-oracle';
import { SeededRandom } from './random';
import { RunningCalls } from './running-calls';
import { type RequestScenario, type Scenario, scenarioOf } from './scenario';
import { SimulatedProcess } from './simulated-process';
import { SimulatedTime, WORLD } from './simulated-time';
import { submissionOf } from './submission';
import { Violations } from './violations';

export interface Verdict {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** How the tasks ended: state or reason → how many. */
  readonly ends: Readonly<Record<string, number>>;
}

/** O5: everything is back to zero this long after the last task has ended. */
const AFTERMATH_MS = 10_000;
/** A10: how long a client's place may outlive it. */
const LEAVE_MS = 1_000;

const drained = setImmediate;

export class World {
  readonly time = new SimulatedTime();
  readonly scenario: Scenario;
  readonly violations: Violations;
  readonly ledger: Ledger;
  readonly calls: RunningCalls;
  readonly clients: SimulatedClient[] = [];
  private readonly engine: SimulatedEngine;
  private readonly faults: Faults;
  private readonly random: SeededRandom;
  private readonly deadly = new Set<string>();
  private toCome: number;
  /** When a request last came or ended. */
  private lastChangeAt = 0;

  constructor(
    readonly seed: number,
    tracing: boolean,
    processes: number,
  ) {
    const random = new SeededRandom(seed);
    this.scenario = scenarioOf(random.fork(), processes);
    this.random = random.fork();
    this.violations = new Violations(this.time, tracing);
    this.ledger = new Ledger({
      ended: ({ id, state, reason }, before) => {
        this.lastChangeAt = this.time.now;
        this.violations.tell(`${id} ends ${state} ${reason ?? ''}`);
        if (before !== 'queued' && before !== 'running') this.violations.report('O2 one end', `${id} was ${before}`);
      },
      wrote: (taskId, fence, newest) => {
        if (fence !== newest)
          this.violations.report('O2 fenced', `${taskId} was written with fence ${fence} of ${newest}`);
      },
      settled: (taskId, by, owner) => {
        if (by !== owner) this.violations.report('O2 owner', `${taskId} of ${owner} was ended by ${by}`);
      },
    });
    this.calls = new RunningCalls(this.scenario, this.ledger, this.violations);
    this.engine = new SimulatedEngine(this.time, this.random);
    this.faults = new Faults({
      world: this,
      random: this.random,
      start: (incarnation) => this.startProcess(incarnation),
    });
    this.toCome = this.scenario.requests.length;
  }

  async live(): Promise<void> {
    this.faults.schedule();
    this.scenario.requests.forEach((request, at) =>
      this.time.after(request.afterMs, WORLD, () => this.arrive(request, `t${at + 1}`)),
    );
    let restAt = Infinity;
    while (this.time.now <= Math.min(restAt, this.lastMoment()) && this.violations.found.length === 0) {
      if (!(await this.time.step())) break;
      if (restAt === Infinity && this.time.steps % 8 === 0 && this.isAtRest()) restAt = this.time.now + AFTERMATH_MS;
    }
    if (this.violations.found.length > 0) return;
    checkEnd({
      ...this,
      processes: this.faults.living,
      calmSince: this.faults.calmSince,
      wasFrozen: (incarnation, from, to) => this.faults.wasFrozen(incarnation, from, to),
    });
  }

  private startProcess(incarnation: string): SimulatedProcess {
    const { scenario, time, random, engine, ledger } = this;
    const observer: CallObserver = {
      began: (call, pluginId) => {
        const attempt = this.calls.began(call, pluginId, incarnation);
        if (this.deadly.has(call.taskId))
          time.after(random.between(0, 50), WORLD, () => this.faults.crash(incarnation));
        return attempt;
      },
      ended: (call) => this.calls.ended(call),
    };
    const store = storeOf({ ledger, time, random }, incarnation);
    const around = { scenario, time, random, store, engine, observer };
    const process = time.as(incarnation, () => new SimulatedProcess(incarnation, around));
    watchQueue(process.scheduler, scenario, this.violations);
    time.after(0, incarnation, () => void process.start());
    return process;
  }

  private arrive(request: RequestScenario, taskId: string): void {
    this.toCome -= 1;
    this.lastChangeAt = this.time.now;
    const process = this.random.pick(this.faults.living);
    const client = new SimulatedClient(request, process?.incarnation ?? '', {
      broken: (what) => this.violations.report('O3, O4 delivery', `${what} (${taskId})`),
      told: (what) => this.violations.tell(`the client of ${taskId} gets ${what}`),
    });
    this.clients.push(client);
    if (!process) return client.refused('connection_refused');
    if (request.deadly) this.deadly.add(taskId);
    this.time.after(0, process.incarnation, () => void this.send(process, client, taskId));
  }

  private async send(process: SimulatedProcess, client: SimulatedClient, taskId: string): Promise<void> {
    const { request } = client;
    const submission = submissionOf(request, taskId);
    this.violations.tell(`${process.incarnation} gets ${taskId}: ${JSON.stringify(request)}`);
    const outcome = await process.dispatcher.submit(submission, request.background ? null : client);
    if (outcome.kind !== 'accepted') {
      return client.refused(outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind);
    }
    client.taskId = outcome.taskId;
    if (request.background) client.gone('left');
    if (request.leavesAfterMs !== null) {
      this.time.after(request.leavesAfterMs, process.incarnation, () => this.leave(client, outcome.leave));
    }
    if (request.cancelledAfterMs !== null) {
      this.time.after(request.cancelledAfterMs, WORLD, () => this.cancel(outcome.taskId));
    }
  }

  private leave(client: SimulatedClient, leave: () => void): void {
    if (client.outcome) return;
    const { taskId, incarnation, request } = client;
    const leftAt = this.time.now;
    this.violations.tell(`the client of ${taskId} leaves`);
    client.gone('left');
    leave();
    if (request.key !== null || taskId === null) return;
    this.time.after(LEAVE_MS, WORLD, () => {
      if (this.faults.wasDisturbed(leftAt, this.time.now, incarnation)) return;
      const ended = this.ledger.tasks.get(taskId)?.finishedAt !== null && !this.calls.isCalling(taskId);
      // Another process took it over: its answer is kept for whoever asks for it (C7).
      const elsewhere = this.ledger.tasks.get(taskId)?.incarnation !== incarnation;
      if (!ended && !elsewhere) this.violations.report('A10 leave', `${taskId} goes on 1 s after its client left`);
    });
  }

  private cancel(taskId: string): void {
    const process = this.random.pick(this.faults.living);
    if (!process) return;
    this.violations.tell(`${process.incarnation} is asked to cancel ${taskId}`);
    this.time.after(0, process.incarnation, () => void process.dispatcher.cancel(taskId, 'cancelled'));
    const askedAt = this.time.now;
    const runsAt = this.ledger.tasks.get(taskId)?.incarnation ?? '';
    this.time.after(LEAVE_MS, WORLD, () => {
      const disturbed = [process.incarnation, runsAt].some((each) =>
        this.faults.wasDisturbed(askedAt, this.time.now, each),
      );
      const task = this.ledger.tasks.get(taskId);
      if (disturbed || task?.incarnation !== runsAt || process.closed) return;
      if (task.finishedAt === null || this.calls.isCalling(taskId))
        this.violations.report(
          'A10 cancel',
          `${taskId} of ${runsAt} goes on 1 s after ${process.incarnation} was asked`,
        );
    });
  }

  /** Called when a process has died: its clients lose it, its work has to be back in the queue in time. */
  buried(incarnation: string): void {
    this.calls.dropAllOf(incarnation);
    for (const client of this.clients) if (client.incarnation === incarnation) client.gone('cut');
    const diedAt = this.time.now;
    const orphaned = [...this.ledger.tasks.values()].filter(
      (task) => task.incarnation === incarnation && task.finishedAt === null,
    );
    this.time.after(BACK_IN_QUEUE_MS, WORLD, () => {
      if (!this.faults.couldTakeOver(diedAt)) return;
      for (const task of orphaned) {
        if (task.finishedAt === null && task.incarnation === incarnation) {
          this.violations.report('C1 back in queue', `${task.id} is still of dead ${incarnation}`);
        }
      }
    });
  }

  missedHeartbeats(incarnation: string): void {
    this.engine.missedHeartbeats(incarnation);
  }

  private isAtRest(): boolean {
    return (
      this.toCome === 0 &&
      this.ledger.items.size === 0 &&
      this.calls.size === 0 &&
      this.faults.areOver &&
      this.clients.every(({ outcome }) => outcome !== null) &&
      this.faults.living.every(({ runs }) => runs.size === 0)
    );
  }

  /** By then every task has ended (O1), or never will. */
  private lastMoment(): number {
    if (!this.faults.areOver || this.toCome > 0) return Infinity;
    let last = Math.max(this.faults.calmSince, this.lastChangeAt);
    for (const taskId of this.ledger.items.keys()) {
      last = Math.max(last, this.ledger.tasks.get(taskId)?.deadlineAt ?? 0);
    }
    return last + BACK_IN_QUEUE_MS + AFTERMATH_MS;
  }
}

const MOST_PROCESSES = 3;

export async function runSeed(seed: number, tracing = false, processes = MOST_PROCESSES): Promise<Verdict> {
  const world = new World(seed, tracing, processes);
  const unhandled = (error: unknown): void => world.violations.report('unhandled rejection', String(error));
  const uninstall = world.time.install();
  process.on('unhandledRejection', unhandled);
  try {
    await world.live();
    await new Promise<void>((resolve) => drained(resolve));
  } finally {
    process.off('unhandledRejection', unhandled);
    uninstall();
  }
  const ends: Record<string, number> = {};
  for (const { reason, state } of world.ledger.tasks.values()) ends[reason ?? state] = (ends[reason ?? state] ?? 0) + 1;
  return { seed, violations: world.violations.found, trace: world.violations.trace, ends };
}
