import type { Engine, EngineState } from '../engine';
import type { Log } from './log';

/** The current state and those who want to hear of its changes. */
export class EngineStateCell {
  #state: EngineState = 'starting';
  readonly #listeners = new Set<(state: EngineState) => void>();

  constructor(private readonly log: Log) {}

  get(): EngineState {
    return this.#state;
  }

  set(state: EngineState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) {
      try {
        listener(state);
      } catch (error) {
        this.log.error({ err: error }, 'a listener to the Temporal state failed');
      }
    }
  }

  onChange(listener: (state: EngineState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** True as soon as the engine is up, false when `timeoutMs` passed first. */
export function untilUp(engine: Engine, timeoutMs: number): Promise<boolean> {
  if (engine.state === 'up') return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (up: boolean): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve(up);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    const unsubscribe = engine.onChange((state) => {
      if (state === 'up') finish(true);
    });
  });
}
