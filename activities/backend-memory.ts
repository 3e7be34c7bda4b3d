/** Keeps the scheduler told of what local backends do with memory: what a load took, and when a process ends (K). */
import type { Catalogue } from './catalogue';
import type { PluginHost } from './plugin-host';
import type { Scheduler } from './scheduler';

interface Sources {
  readonly plugins: Pick<PluginHost, 'onChange' | 'onLoaded'>;
  readonly catalogue: Pick<Catalogue, 'all'>;
  readonly scheduler: Pick<Scheduler, 'loaded' | 'stopped'>;
}

export function watchBackendMemory({ plugins, catalogue, scheduler }: Sources): void {
  /** Backends that may hold memory. */
  const up = new Set<string>();

  plugins.onChange(({ id, adapter }) => {
    const state = adapter?.backend.state ?? 'stopped';
    if (state === 'running') up.add(id);
    // A change of anything else, while a first start is still to come, is no end of a process.
    else if ((state === 'stopped' || state === 'error') && up.delete(id)) scheduler.stopped(id);
  });
  plugins.onLoaded(({ pluginId, upstreamModel, loadMs }) => {
    for (const model of catalogue.all()) {
      if (model.pluginId !== pluginId || model.upstreamModel !== upstreamModel) continue;
      scheduler.loaded({ pluginId, modelId: model.id }, loadMs);
    }
  });
}
