/** What `createApp` needs, made from the running parts. */
import type { Logger } from 'pino';
import type { Engine } from '../activities/engine';
import type { Runtime } from '../activities/runtime';
import type { Settings } from '../config/schema';
import type { Store } from '../store/store';
import { catalogueViews } from './catalogue-views';
import type { ApiDeps } from './deps';
import { HealthWatch } from './health-watch';
import { LiveFeed } from './live-feed';

export interface ApiParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly version: string;
  readonly startedAt: number;
  readonly operatorToken: string;
  readonly dataDir: string;
  readonly webRoot: string;
  readonly addresses: () => readonly string[];
}

export function apiDeps(parts: ApiParts): { readonly api: ApiDeps; close(): void } {
  const stopping = new AbortController();
  const health = new HealthWatch(parts);
  const catalogue = catalogueViews(parts.runtime);
  const live = new LiveFeed(parts, health, catalogue);
  const { settings, store, engine, runtime, log, version, startedAt, operatorToken, dataDir, webRoot, addresses } =
    parts;
  return {
    api: {
      settings,
      store,
      dispatcher: runtime.dispatcher,
      engine,
      catalogue,
      live,
      log,
      version,
      startedAt,
      operatorToken,
      dataDir,
      webRoot,
      stopping: stopping.signal,
      health: () => health.current(),
      addresses,
      now: Date.now,
    },
    close() {
      stopping.abort();
      health.stop();
      live.stop();
    },
  };
}
