/** What goes wrong in a simulated world, and who lives through it. */
import { SimulatedEngine, ENGINE } from './engine';
import { BACK_IN_QUEUE_MS } from './end-oracles';
import { DATABASE } from './ledger-store';
import type { SeededRandom } from './random';
import type { FaultScenario, Scenario } from './scenario';
import type { SimulatedProcess } from './simulated-process';
import type { SimulatedClient } from './client';
import { type SimulatedTime, WORLD } from './simulated-time';
import type { Violations } from './violations';

interface Disturbance {
  readonly owner: string;
  readonly from: number;
  to: number;
}

/** The part of the world that faults touch. */
interface Stage {
  readonly time: SimulatedTime;
  readonly scenario: Scenario;
  readonly violations: Violations;
  readonly clients: readonly SimulatedClient[];
  buried(incarnation: string): void;
  missedHeartbeats(incarnation: string): void;
}

interface Surroundings {
  readonly world: Stage;
  readonly random: SeededRandom;
  readonly start: (incarnation: string) => SimulatedProcess;
}

/** How long a killed process of a request that kills stays away, ms. */
const REVIVAL_MS = 3_000;
/** A process that has been up this long before an expiry sweeps in time. */
const SETTLED_MS = 11_000;

export class Faults {
  calmSince = 0;
  /** One a place on the host; null while it is down. */
  private readonly places: (SimulatedProcess | null)[] = [];
  private readonly disturbances: Disturbance[] = [];
  private lives = 0;
  private pending = 0;

  constructor(private readonly around: Surroundings) {}

  schedule(): void {
    const { world } = this.around;
    this.calmSince = world.time.now;
    for (let place = 0; place < world.scenario.processes; place += 1) this.start(place);
    for (const fault of world.scenario.faults) this.later(fault.afterMs, () => this.strike(fault));
  }

  get living(): SimulatedProcess[] {
    return this.places.filter((process) => process !== null);
  }

  get areOver(): boolean {
    return this.pending === 0;
  }

  wasFrozen(owner: string, from: number, to: number): boolean {
    return this.disturbances.some((each) => each.owner === owner && each.from <= to && each.to >= from);
  }

  /** The process, the engine or the database was not there all the time. */
  wasDisturbed(from: number, to: number, incarnation: string): boolean {
    const { time } = this.around.world;
    return time.isDead(incarnation) || [incarnation, ENGINE, DATABASE].some((owner) => this.wasFrozen(owner, from, to));
  }

  /** Somebody was there all the time to take over what died at `diedAt`, and is still. */
  couldTakeOver(diedAt: number): boolean {
    const from = diedAt + BACK_IN_QUEUE_MS - SETTLED_MS;
    const { now } = this.around.world.time;
    return this.living.some(
      ({ startedAt, closed, incarnation }) =>
        !closed && startedAt <= from && !this.wasDisturbed(from, now, incarnation),
    );
  }

  crash(incarnation: string): void {
    const place = this.places.findIndex((process) => process?.incarnation === incarnation);
    if (place >= 0) this.down(place, REVIVAL_MS);
  }

  private strike({ kind, lastsMs }: FaultScenario): void {
    if (kind === 'engine') return this.freeze(ENGINE, lastsMs);
    if (kind === 'database') return this.freeze(DATABASE, lastsMs);
    const place = this.around.random.between(0, this.places.length - 1);
    const process = this.places[place];
    if (!process || process.closed) return;
    if (kind === 'crash') this.down(place, lastsMs);
    else if (kind === 'stall') this.stall(process, lastsMs);
    else this.restart(place, process, lastsMs);
  }

  private stall({ incarnation }: SimulatedProcess, lastsMs: number): void {
    this.freeze(incarnation, lastsMs);
    const { world } = this.around;
    const { heartbeatTimeoutMs } = SimulatedEngine;
    if (lastsMs > heartbeatTimeoutMs) this.later(heartbeatTimeoutMs, () => world.missedHeartbeats(incarnation));
  }

  /** C8. */
  private restart(place: number, process: SimulatedProcess, lastsMs: number): void {
    const { world } = this.around;
    const { incarnation } = process;
    world.violations.tell(`${incarnation} is told to stop`);
    // The restart is over once the next incarnation is up; a stop that never ends would be found as a loss.
    this.pending += 1;
    process.closed = true;
    world.time.after(0, incarnation, () => {
      void process.stop(world.scenario.drainMs).then(() => {
        for (const client of world.clients) {
          if (client.incarnation !== incarnation || client.outcome || client.taskId === null) continue;
          world.violations.tell(`the client of ${client.taskId} is cut off by the stop`);
        }
        this.down(place, lastsMs);
      });
    });
  }

  private down(place: number, lastsMs: number): void {
    const { world } = this.around;
    const process = this.places[place];
    if (!process) return;
    if (process.closed) this.pending -= 1;
    process.closed = true;
    this.places[place] = null;
    world.violations.tell(`${process.incarnation} is gone`);
    world.time.kill(process.incarnation);
    world.buried(process.incarnation);
    this.later(lastsMs, () => this.start(place));
  }

  private start(place: number): void {
    const { world, start } = this.around;
    this.lives += 1;
    const incarnation = `i${this.lives}`;
    world.violations.tell(`${incarnation} starts`);
    this.places[place] = start(incarnation);
    this.calmSince = world.time.now;
  }

  private freeze(owner: string, lastsMs: number): void {
    const { time, violations } = this.around.world;
    if (time.isFrozen(owner)) return;
    violations.tell(`${owner} stops for ${lastsMs} ms`);
    const disturbance = { owner, from: time.now, to: Infinity };
    this.disturbances.push(disturbance);
    time.freeze(owner);
    this.later(lastsMs, () => {
      violations.tell(`${owner} goes on`);
      disturbance.to = time.now;
      this.calmSince = time.now;
      time.thaw(owner);
    });
  }

  private later(ms: number, act: () => void): void {
    this.pending += 1;
    this.around.world.time.after(ms, WORLD, () => {
      this.pending -= 1;
      act();
    });
  }
}
