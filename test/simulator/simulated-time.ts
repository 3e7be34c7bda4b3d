/**
 * The fake clock and everything that happens on it. Each event belongs to an owner (a process, the
 * database, the engine, the world): a frozen owner's events wait for it in order, a dead one's never
 * happen. Timers that product code sets belong to the process it runs in.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventHeap, type SimulatedEvent } from './event-heap';

/** An arbitrary date; only differences matter. */
const BEGINNING = Date.UTC(2030, 0, 1);

export const WORLD = 'world';

const drained = setImmediate;

/** Whose event is happening. One for all worlds: Node goes over every storage there has been at each promise. */
const running = new AsyncLocalStorage<string>();

export class SimulatedTime {
  now = BEGINNING;
  /** Events that have happened. */
  steps = 0;
  private sequence = 0;
  private readonly heap = new EventHeap();
  private readonly frozen = new Map<string, SimulatedEvent[]>();
  private readonly dead = new Set<string>();

  /** Seconds since the beginning, for people. */
  get elapsed(): string {
    return ((this.now - BEGINNING) / 1_000).toFixed(3).padStart(8);
  }

  after(ms: number, owner: string, act: () => void): SimulatedEvent {
    const event = {
      at: this.now + Math.max(0, Math.ceil(ms)),
      sequence: this.sequence++,
      owner,
      act,
      cancelled: false,
    };
    this.heap.push(event);
    return event;
  }

  freeze(owner: string): void {
    if (!this.frozen.has(owner)) this.frozen.set(owner, []);
  }

  thaw(owner: string): void {
    const missed = this.frozen.get(owner) ?? [];
    this.frozen.delete(owner);
    for (const event of missed) this.heap.push(Object.assign(event, { at: this.now, sequence: this.sequence++ }));
  }

  kill(owner: string): void {
    this.dead.add(owner);
    this.frozen.delete(owner);
  }

  isFrozen(owner: string): boolean {
    return this.frozen.has(owner);
  }

  isDead(owner: string): boolean {
    return this.dead.has(owner);
  }

  /** Lets the next event happen, with all that it sets off at once. False: there is none. */
  async step(): Promise<boolean> {
    const event = this.heap.pop();
    if (!event) return false;
    if (event.cancelled || this.dead.has(event.owner)) return true;
    this.now = event.at;
    const missed = this.frozen.get(event.owner);
    if (missed) {
      missed.push(event);
      return true;
    }
    this.steps += 1;
    event.cancelled = true;
    running.run(event.owner, event.act);
    await new Promise<void>((resolve) => drained(resolve));
    return true;
  }

  /**
   * Puts this clock in the place of the globals; the returned function takes it away again. The
   * owner of a timer is whoever's event is happening when it is set.
   */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const { now } = Date;
    Object.assign(globalThis, {
      setTimeout: (act: () => void, ms = 0) => this.timer(() => this.after(ms, this.owner, act)),
      setInterval: (act: () => void, ms: number) => this.interval(act, ms),
      clearTimeout: clear,
      clearInterval: clear,
    });
    Date.now = () => this.now;
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      Date.now = now;
    };
  }

  /** Runs this as the owner: the timers that it sets are the owner's. */
  as<T>(owner: string, act: () => T): T {
    return running.run(owner, act);
  }

  private get owner(): string {
    return running.getStore() ?? WORLD;
  }

  private timer(schedule: () => SimulatedEvent): SimulatedTimer {
    const event = schedule();
    return { cancel: () => (event.cancelled = true), unref: () => undefined };
  }

  private interval(act: () => void, ms: number): SimulatedTimer {
    const { owner } = this;
    let stopped = false;
    // An interval of a frozen process does not pile up: it goes on from when the process does.
    const again = (): void => {
      if (stopped) return;
      act();
      this.after(ms, owner, again);
    };
    this.after(ms, owner, again);
    return { cancel: () => (stopped = true), unref: () => undefined };
  }
}

interface SimulatedTimer {
  readonly cancel: () => void;
  readonly unref: () => void;
}

function clear(timer: SimulatedTimer | null | undefined): void {
  timer?.cancel();
}
