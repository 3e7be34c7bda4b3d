import { DestroyRef, inject, Service, signal } from '@angular/core';
import { asProblem, type ApiProblem } from '../api/api-problem';
import type { LiveEvent } from '../api/contract';
import { SoaiApi } from '../api/soai-api';
import { Session } from '../session/session';
import { LiveState } from './live-state';
import { graceMs, reconnectDelayMs, settledAfterMs } from './reconnect-policy';
import { readEvents } from './sse-reader';
import { Wait } from './wait';

export type ConnectionStatus =
  | { kind: 'idle' }
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'lost'; since: number; problem: ApiProblem; nextTryAt: number | null };

/** The server sends something, a comment at least, every 15 s. */
const eventsIdleMs = 60_000;

/**
 * The app's one line to the server: asks who is signed in, then follows the live events, and comes
 * back by itself after a loss. A refused session ends it (sign in again); everything else is waited out.
 */
@Service()
export class Connection {
  private readonly api = inject(SoaiApi);
  private readonly session = inject(Session);
  private readonly live = inject(LiveState);
  private readonly wait = new Wait();
  private running: AbortController | null = null;
  private graceTimer: ReturnType<typeof setTimeout> | undefined;

  private readonly state = signal<ConnectionStatus>({ kind: 'idle' });
  readonly status = this.state.asReadonly();

  private readonly outageShown = signal(false);
  /** The loss has outlived the grace: time for the full-screen notice. */
  readonly outage = this.outageShown.asReadonly();

  constructor() {
    const wake = (): void => {
      if (document.visibilityState === 'visible') this.tryNow();
    };
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    inject(DestroyRef).onDestroy(() => {
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      this.stop();
    });
  }

  /** Starts following, unless it already does. */
  start(): void {
    if (this.running) return;
    const controller = new AbortController();
    this.running = controller;
    void this.follow(controller.signal).finally(() => {
      if (this.running === controller) this.running = null;
    });
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.settle({ kind: 'idle' });
  }

  tryNow(): void {
    this.wait.cutShort();
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let attempt = 0;
    this.state.set({ kind: 'connecting' });
    while (!signal.aborted) {
      let liveSince: number | null = null;
      try {
        await this.session.load();
        if (signal.aborted) return;
        if (this.session.state().kind !== 'in') return this.settle({ kind: 'idle' });
        const stream = await this.api.events(signal);
        liveSince = Date.now();
        this.settle({ kind: 'live' });
        void this.live.resync();
        await this.consume(stream, signal);
        throw new TypeError('The event stream ended');
      } catch (error) {
        if (signal.aborted) return;
        if (liveSince !== null && Date.now() - liveSince >= settledAfterMs) attempt = 0;
        await this.pause(asProblem(error), attempt++, signal);
      }
    }
  }

  private async consume(stream: Response, signal: AbortSignal): Promise<void> {
    if (!stream.body) return;
    for await (const event of readEvents(stream.body, { idleMs: eventsIdleMs })) {
      if (signal.aborted) return;
      const change = liveEventFrom(event.data);
      if (change) this.live.apply(change);
    }
  }

  private async pause(problem: ApiProblem, attempt: number, signal: AbortSignal): Promise<void> {
    const before = this.state();
    const since = before.kind === 'lost' ? before.since : Date.now();
    if (before.kind !== 'lost') this.graceTimer = setTimeout(() => this.outageShown.set(true), graceMs);
    const delay = reconnectDelayMs(attempt);
    this.state.set({ kind: 'lost', since, problem, nextTryAt: Date.now() + delay });
    await this.wait.for(delay, signal);
    if (!signal.aborted) this.state.set({ kind: 'lost', since, problem, nextTryAt: null });
  }

  private settle(status: ConnectionStatus): void {
    clearTimeout(this.graceTimer);
    this.outageShown.set(false);
    this.state.set(status);
  }
}

/** A line that is no JSON is passed over: reconnecting would only bring it again. */
function liveEventFrom(data: string): LiveEvent | null {
  try {
    return JSON.parse(data) as LiveEvent;
  } catch {
    return null;
  }
}
