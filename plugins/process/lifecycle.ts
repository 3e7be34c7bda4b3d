import { UpstreamFailure, type BackendState } from '../adapter';
import { CallTimer } from '../call-timer';
import { RestartPauses } from './restart-pauses';

export interface Backend {
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/**
 * The life of one local backend: one start and one stop at a time, however many ask; an exit nobody
 * asked for is noticed at once.
 *
 * | state    | start          | stop                     | exit  |
 * |----------|----------------|--------------------------|-------|
 * | stopped  | starting       | –                        | –     |
 * | starting | joins          | abandons it, → stopped   | error |
 * | running  | –              | stopping → stopped       | error |
 * | stopping | waits, → starting | joins                 | –     |
 * | error    | starting       | stopped                  | –     |
 */
export class Lifecycle<B extends Backend> {
  private current: B | null = null;
  private starting: Promise<B> | null = null;
  private stopping: Promise<void> | null = null;
  private abandon: AbortController | null = null;
  private readonly pauses = new RestartPauses();
  private view: { readonly state: BackendState; readonly detail: string | null } = { state: 'stopped', detail: null };

  constructor(
    private readonly bringUp: (signal: AbortSignal) => Promise<B>,
    /** Told after each change of `backend`. */
    private readonly changed: () => void = () => undefined,
  ) {}

  get backend(): { readonly state: BackendState; readonly detail: string | null } {
    return this.view;
  }

  /** Null unless it is running. */
  get running(): B | null {
    return this.view.state === 'running' ? this.current : null;
  }

  /** @throws UpstreamFailure */
  start(): Promise<B> {
    const { running, stopping } = this;
    if (stopping !== null) return stopping.then(() => this.start());
    if (running !== null) return Promise.resolve(running);
    this.starting ??= this.begin().finally(() => (this.starting = null));
    return this.starting;
  }

  /**
   * Starts for one caller, who may leave; the start goes on, since others may wait for it. After
   * failures in a row it pauses: callers are then told why at once (T54). `start` itself never does.
   */
  async startFor(signal: AbortSignal): Promise<B> {
    const pauseMs = this.running === null && this.starting === null ? this.pauses.leftMs() : 0;
    if (pauseMs > 0) {
      const why = this.view.detail ?? 'The backend failed.';
      throw new UpstreamFailure(
        'transport',
        `${why} It is started again in ${Math.ceil(pauseMs / 1000)} s at the earliest.`,
      );
    }
    const timer = new CallTimer(signal);
    try {
      return await timer.race(this.start());
    } finally {
      timer.release();
    }
  }

  stop(): Promise<void> {
    this.stopping ??= this.end().finally(() => (this.stopping = null));
    return this.stopping;
  }

  private async begin(): Promise<B> {
    const abandon = new AbortController();
    this.abandon = abandon;
    this.show('starting');
    try {
      const backend = await this.bringUp(abandon.signal);
      this.current = backend;
      this.pauses.started();
      this.show('running');
      void backend.exited.then((how) => this.onExit(backend, how));
      return backend;
    } catch (error) {
      const failure =
        error instanceof UpstreamFailure
          ? error
          : new UpstreamFailure('configuration', `The backend can't be started: ${String(error)}`, { cause: error });
      if (!abandon.signal.aborted) {
        this.pauses.failed();
        this.show('error', failure.message);
      }
      throw failure;
    } finally {
      this.abandon = null;
    }
  }

  private async end(): Promise<void> {
    const { starting } = this;
    if (starting !== null) {
      this.show('stopping');
      this.abandon?.abort();
      await starting.catch(() => undefined);
    }
    const backend = this.current;
    this.current = null;
    if (backend !== null) {
      this.show('stopping');
      await backend.stop();
    }
    this.show('stopped');
  }

  private onExit(backend: B, how: string): void {
    if (this.current !== backend) return;
    this.current = null;
    this.pauses.failed();
    this.show('error', `The backend ${how}`);
  }

  private show(state: BackendState, detail: string | null = null): void {
    this.view = { state, detail };
    this.changed();
  }
}
