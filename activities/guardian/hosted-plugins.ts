/** The guardian's view of the plugin host and of what runs in this process. */
import type { HostedPlugin } from '../hosted-plugin';
import type { PluginHost } from '../plugin-host';
import type { PluginIntegrity } from '../plugins/integrity';
import type { Runs } from '../runs';
import type { GuardedPlugin, GuardedPlugins } from './guarded-plugins';

export function guardedPlugins(
  host: PluginHost,
  integrity: Pick<PluginIntegrity, 'enforce'>,
  runs: Runs,
  purge: (pluginId: string) => Promise<number>,
): GuardedPlugins {
  return {
    get: (pluginId) => guarded(host.get(pluginId)),
    all: () => host.all().map((plugin) => guarded(plugin)!),
    onChange: (listener) => void host.onChange(({ id }) => listener(id)),
    onRemoved: (listener) => void host.onRemoved(listener),
    setQuarantine: (pluginId, quarantine) => host.setQuarantine(pluginId, quarantine),
    checkFiles: (pluginId) => integrity.enforce(pluginId),
    progressOf: (pluginId) => runs.all().flatMap(({ call }) => (call?.pluginId === pluginId ? [call.progressAt] : [])),
    purge,
  };
}

function guarded(plugin: HostedPlugin | undefined): GuardedPlugin | undefined {
  if (!plugin) return undefined;
  const { id, enabled, incompatible, manifest, adapter, quarantine } = plugin;
  return { id, local: manifest?.local ?? false, idle: !enabled || incompatible !== null, adapter, quarantine };
}
