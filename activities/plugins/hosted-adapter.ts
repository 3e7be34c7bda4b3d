/** An adapter with what its plugin's host needs to know of it: how many calls it has, and since when none. */
import {
  UpstreamFailure,
  type Adapter,
  type AdapterCall,
  type AdapterReply,
  type DiscoveredModel,
  type ModelFiles,
  type StreamEvent,
} from '../../plugins/adapter';

export interface AdapterUse {
  /** Calls that have not ended. */
  readonly active: number;
  /** When the latest call began or ended, ms since the epoch; null: none yet. */
  readonly lastUsedAt: number | null;
}

export class HostedAdapter implements Adapter {
  private active = 0;
  private lastUsedAt: number | null = null;

  constructor(
    private readonly inner: Adapter,
    /** Why its program must not run, e.g. altered files; null: it may. */
    private readonly barred: () => string | null,
    private readonly now: () => number = Date.now,
  ) {}

  get files(): ModelFiles | undefined {
    return this.inner.files;
  }

  get backend(): Adapter['backend'] {
    return this.inner.backend;
  }

  get loadedModel(): string | null {
    return this.inner.loadedModel;
  }

  get use(): AdapterUse {
    return { active: this.active, lastUsedAt: this.lastUsedAt };
  }

  async start(): Promise<void> {
    this.admit();
    await this.inner.start();
  }

  /** Nothing to do for a backend that has its model from the start. */
  async load(model: string, signal: AbortSignal): Promise<void> {
    this.admit();
    await this.inner.load?.(model, signal);
  }

  stop(): Promise<void> {
    return this.inner.stop();
  }

  async ping(signal: AbortSignal): Promise<void> {
    this.admit();
    await this.inner.ping(signal);
  }

  async discover(signal: AbortSignal): Promise<readonly DiscoveredModel[]> {
    this.admit();
    return this.inner.discover(signal);
  }

  async call(call: AdapterCall): Promise<AdapterReply> {
    this.admit();
    this.begin();
    try {
      const reply = await this.inner.call(call);
      if (reply.kind === 'stream') return { kind: 'stream', events: this.counted(reply.events) };
      this.end();
      return reply;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  private counted(events: AsyncIterable<StreamEvent>): AsyncIterable<StreamEvent> {
    let ended = false;
    const end = (): void => {
      if (!ended) this.end();
      ended = true;
    };
    return {
      [Symbol.asyncIterator]: () => {
        const inner = events[Symbol.asyncIterator]();
        return {
          async next() {
            try {
              const step = await inner.next();
              if (step.done === true) end();
              return step;
            } catch (error) {
              end();
              throw error;
            }
          },
          async return() {
            end();
            await inner.return?.();
            return { done: true as const, value: undefined };
          },
        };
      },
    };
  }

  private admit(): void {
    const reason = this.barred();
    if (reason !== null) throw new UpstreamFailure('configuration', reason);
  }

  private begin(): void {
    this.active += 1;
    this.lastUsedAt = this.now();
  }

  private end(): void {
    this.active -= 1;
    this.lastUsedAt = this.now();
  }
}
