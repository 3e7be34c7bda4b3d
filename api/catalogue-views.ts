/** Plugins as the management API shows them. */
import type { Runtime } from '../activities/runtime';
import type { HostedPlugin } from '../activities/plugin-host';
import type { Plugin } from './contract/management';
import type { CatalogueViews } from './deps';

export function catalogueViews(runtime: Runtime): CatalogueViews {
  const { plugins, dispatcher } = runtime;
  return {
    plugins: () => plugins.all().map((plugin) => pluginView(plugin, dispatcher.loadOf(plugin.id))),
    restart: (pluginId) => plugins.restart(pluginId),
  };
}

function pluginView(plugin: HostedPlugin, load: { readonly running: number; readonly waiting: number }): Plugin {
  const { manifest, adapter, incompatible } = plugin;
  return {
    id: plugin.id,
    package: plugin.packageName,
    version: manifest?.version ?? '',
    title: manifest?.title ?? plugin.packageName,
    origin: plugin.origin,
    enabled: plugin.enabled,
    local: manifest?.local ?? false,
    max_concurrent_tasks: plugin.maxConcurrentTasks,
    running: load.running,
    waiting: load.waiting,
    compatibility: { state: incompatible === null ? 'compatible' : 'incompatible', reason: incompatible },
    backend: { state: adapter?.backend.state ?? 'stopped', reason: adapter?.backend.detail ?? null },
    worker: { state: workerState(plugin, load.running), reason: null },
    quarantine: { ...plugin.quarantine },
    circuit: { state: 'closed', failure_count: 0, last_failure_at: null, retry_at: null },
  };
}

function workerState(plugin: HostedPlugin, running: number): Plugin['worker']['state'] {
  if (!plugin.enabled || plugin.adapter === null) return 'stopped';
  return running > 0 ? 'busy' : 'idle';
}
