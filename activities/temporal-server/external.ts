import type { Engine } from '../engine';
import { EngineStateCell } from './engine-state';
import type { Log } from './log';
import { reasonOf, ServerProbe } from './probe';
import { watchHealth } from './watch-health';

export interface ExternalTemporalOptions {
  readonly address: string;
  readonly namespace: string;
  readonly log: Log;
}

/** A Temporal server that somebody else runs. Resolves at once: it may come up later (spec C6). */
export async function connectExternal({ address, namespace, log }: ExternalTemporalOptions): Promise<Engine> {
  const state = new EngineStateCell(log);
  const probe = new ServerProbe(address, namespace);
  const stopping = new AbortController();
  const report = (healthy: boolean, problem: unknown): void => {
    const before = state.get();
    if (healthy && before !== 'up') log.info({ address, namespace }, 'Temporal is reachable');
    if (!healthy && before !== 'down')
      log.warn({ address, namespace, reason: reasonOf(problem) }, 'Temporal is not reachable');
    state.set(healthy ? 'up' : 'down');
  };
  const watch = watchHealth(probe, { signal: stopping.signal, eagerIntervalMs: 500, report });
  return {
    get state() {
      return state.get();
    },
    address,
    namespace,
    consoleUrl: null,
    onChange: (listener) => state.onChange(listener),
    async stop() {
      stopping.abort();
      await watch;
      state.set('down');
      await probe.close();
    },
  };
}
