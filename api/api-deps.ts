/** What `createApp` needs, made from the running parts. */
import type { Runtime } from '../activities/runtime';
import type { Origins } from '../config/origins';
import type { Settings } from '../config/schema';
import type { ApiDeps } from './deps';
import { HealthWatch } from './health-watch';
import { PluginViews } from './plugin-views';
import { LiveFeed } from './live-feed';

type PassedOn =
  'store' | 'engine' | 'log' | 'logs' | 'version' | 'startedAt' | 'operatorToken' | 'dataDir' | 'webRoot' | 'addresses';

export interface ApiParts extends Pick<ApiDeps, PassedOn> {
  readonly settings: Settings;
  readonly origins: Origins;
  readonly runtime: Runtime;
}

export function apiDeps(parts: ApiParts): { readonly api: ApiDeps; close(): void } {
  const stopping = new AbortController();
  const health = new HealthWatch(parts);
  const pluginViews = new PluginViews(parts.runtime);
  const live = new LiveFeed(parts, health, pluginViews);
  const {
    settings,
    store,
    engine,
    runtime,
    log,
    logs,
    version,
    startedAt,
    operatorToken,
    dataDir,
    webRoot,
    addresses,
  } = parts;
  return {
    api: {
      settings,
      store,
      dispatcher: runtime.dispatcher,
      engine,
      models: {
        catalogue: runtime.catalogue,
        store: store.catalogue,
        plugins: runtime.plugins,
        circuits: runtime.circuits,
        cooldowns: runtime.router,
        downloads: runtime.downloads,
        origins: parts.origins,
        routing: settings.MODELS.ROUTING,
        log,
        now: Date.now,
      },
      pluginViews,
      plugins: runtime.pluginLife,
      pluginHealth: runtime.health,
      live,
      log,
      logs,
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
