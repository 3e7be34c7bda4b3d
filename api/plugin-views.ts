/** Plugins and their packages as the management API shows them (spec F5, J). */
import { z } from 'zod';
import type { HostedPlugin } from '../activities/hosted-plugin';
import { incompatibility } from '../activities/plugins/compatibility';
import { DEFAULT_OPTIONS } from '../activities/plugins/definition';
import type { ShelvedPackage } from '../activities/plugins/package-shelf';
import { readOnlyReason } from '../activities/plugins/plugin-actions';
import type { Runtime } from '../activities/runtime';
import type { PluginManifest } from '../plugins/adapter';
import type { Plugin } from './contract/management';
import type { PluginDetail, PluginPackageView } from './contract/plugins';
import { pluginHealthView } from './plugin-health-view';

export class PluginViews {
  constructor(private readonly runtime: Runtime) {}

  plugins(): readonly Plugin[] {
    const { plugins } = this.runtime;
    return plugins.all().map((plugin) => this.view(plugin));
  }

  async detail(id: string): Promise<PluginDetail | null> {
    const { plugins, pluginLife, catalogue } = this.runtime;
    const plugin = plugins.get(id);
    const definition = plugins.definition(id);
    if (!plugin || !definition) return null;
    const { shown, set } = await pluginLife.actions.settingsOf(id);
    const options = definition.options ?? DEFAULT_OPTIONS;
    return {
      ...this.view(plugin),
      settings: shown,
      secrets: set,
      settings_schema: plugin.manifest && schemaOf(plugin.manifest),
      idle_unload_sec: options.idleUnloadSec,
      preload: options.preload,
      read_only: definition.origin === 'config' ? readOnlyReason(id) : null,
      package_digest: pluginLife.shelf.find(definition.package, definition.packageDigest)?.digest ?? null,
      models: catalogue.all().flatMap((model) => (model.pluginId === id ? [model.id] : [])),
    };
  }

  packages(): readonly PluginPackageView[] {
    return this.runtime.pluginLife.shelf.all().map((each) => this.packageView(each));
  }

  packageView(found: ShelvedPackage): PluginPackageView {
    const { manifest } = found.plugin;
    const { here, packages } = this.runtime.pluginLife;
    const reason = incompatibility(manifest, here);
    return {
      name: found.name,
      version: found.version,
      title: manifest.title,
      description: manifest.description,
      origin: found.origin,
      digest: found.digest,
      compatibility: { state: reason === null ? 'compatible' : 'incompatible', reason },
      source: found.source,
      installed_at: found.installedAt,
      files: Object.keys(found.files).length,
      plugins: packages.usersOf(found),
      settings_schema: schemaOf(manifest),
    };
  }

  private view(plugin: HostedPlugin): Plugin {
    const { manifest, adapter, incompatible } = plugin;
    const load = this.runtime.dispatcher.loadOf(plugin.id);
    return {
      id: plugin.id,
      package: plugin.packageName,
      version: manifest?.version ?? '',
      title: manifest?.title ?? plugin.packageName,
      origin: plugin.origin,
      cloned_from: this.runtime.plugins.definition(plugin.id)?.clonedFrom ?? null,
      enabled: plugin.enabled,
      draining: plugin.draining,
      local: manifest?.local ?? false,
      loaded_model: adapter?.loadedModel ?? null,
      max_concurrent_tasks: plugin.maxConcurrentTasks,
      running: load.running,
      waiting: load.waiting,
      compatibility: { state: incompatible === null ? 'compatible' : 'incompatible', reason: incompatible },
      backend: { state: adapter?.backend.state ?? 'stopped', reason: adapter?.backend.detail ?? null },
      worker: workerOf(plugin, load.running),
      quarantine: { ...plugin.quarantine },
      ...pluginHealthView(this.runtime, plugin.id),
    };
  }
}

/** What hands it requests: never mixed up with its backend, which may be up all the same. */
function workerOf(plugin: HostedPlugin, running: number): Plugin['worker'] {
  if (running > 0) return { state: 'busy', reason: null };
  const stopped = (reason: string): Plugin['worker'] => ({ state: 'stopped', reason });
  if (plugin.adapter === null) return stopped('the plugin is incompatible');
  if (!plugin.enabled) return stopped('the plugin is disabled');
  if (plugin.quarantine.state !== 'none') return stopped('the plugin is quarantined');
  return plugin.draining ? stopped('the plugin is being drained') : { state: 'idle', reason: null };
}

function schemaOf({ settings }: PluginManifest): unknown {
  return z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
}
