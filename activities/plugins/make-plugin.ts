/** From a definition to a plugin that can be called, or one that says why it can't. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema';
import { checkSettings, secretSettings } from '../../plugins/manifest-settings';
import { SecretUnreadable } from '../../store/secret-box';
import type { HostedPlugin } from '../hosted-plugin';
import { incompatibility, type Installation } from './compatibility';
import type { PluginDefinition } from './definition';
import { HostedAdapter } from './hosted-adapter';
import type { PackageShelf, ShelvedPackage } from './package-shelf';
import { openSettings, type Seal } from './secret-settings';

export interface PluginMaking {
  readonly settings: Pick<Settings, 'PLUGINS'>;
  readonly shelf: PackageShelf;
  readonly secrets: Seal;
  readonly here: Installation;
  readonly cacheDir: string;
  readonly log: Logger;
  readonly now: () => number;
}

/** The directory of a plugin's own, below SYSTEM_DATA/plugins. */
export const pluginDirectory = (shelf: PackageShelf, id: string): string =>
  path.join(shelf.pluginsDir, encodeURIComponent(id));

/** A clone's own copy of its package. */
export const copyDirectory = (shelf: PackageShelf, id: string): string =>
  path.join(pluginDirectory(shelf, id), 'package');

type Made = Omit<HostedPlugin, 'quarantine' | 'draining'>;

export async function makePlugin(
  definition: PluginDefinition,
  making: PluginMaking,
  host: {
    readonly barred: () => string | null;
    readonly changed: () => void;
    readonly loaded: (upstreamModel: string, loadMs: number) => void;
  },
): Promise<{ readonly plugin: Made; readonly adapter: HostedAdapter | null }> {
  const found = making.shelf.find(definition.package, definition.packageDigest);
  const judged = await judge(definition, found, making);
  const base = {
    id: definition.id,
    packageName: definition.package,
    origin: definition.origin,
    enabled: definition.enabled,
    maxConcurrentTasks: definition.maxConcurrentTasks,
    manifest: found?.plugin.manifest ?? null,
  };
  if (!found || judged.incompatible !== null) {
    making.log.error({ plugin: definition.id, reason: judged.incompatible }, "the plugin can't be used");
    return { plugin: { ...base, incompatible: judged.incompatible, adapter: null }, adapter: null };
  }
  const dataDir = pluginDirectory(making.shelf, definition.id);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const log = making.log.child({ source: 'plugin', plugin: definition.id });
  const inner = found.plugin.create({
    id: definition.id,
    settings: judged.settings,
    dataDir,
    cacheDir: making.cacheDir,
    ...packageDirOf(definition, found, making.shelf),
    changed: host.changed,
    loaded: host.loaded,
    log: (level, message, fields) => log[level](fields ?? {}, message),
  });
  const adapter = new HostedAdapter(inner, host.barred, making.now);
  return { plugin: { ...base, incompatible: null, adapter }, adapter };
}

function packageDirOf(
  { id, files }: PluginDefinition,
  found: ShelvedPackage,
  shelf: PackageShelf,
): { packageDir?: string } {
  if (files !== null) return { packageDir: copyDirectory(shelf, id) };
  return found.origin === 'installed' ? { packageDir: found.directory } : {};
}

type Judged =
  | { readonly incompatible: string; readonly settings?: undefined }
  | { readonly incompatible: null; readonly settings: Readonly<Record<string, unknown>> };

async function judge(
  definition: PluginDefinition,
  found: ShelvedPackage | undefined,
  { shelf, here, secrets }: PluginMaking,
): Promise<Judged> {
  if (!found) {
    const known = [...new Set(shelf.all().map(({ name }) => name))].join(', ');
    return { incompatible: `unknown package "${definition.package}"; known: ${known}` };
  }
  const { manifest } = found.plugin;
  const reason = incompatibility(manifest, here);
  if (reason !== null) return { incompatible: reason };
  let opened: Readonly<Record<string, unknown>>;
  try {
    opened = await openSettings(definition.settings, secretSettings(manifest), definition.id, secrets);
  } catch (error) {
    if (error instanceof SecretUnreadable) return { incompatible: error.message };
    throw error;
  }
  const checked = checkSettings(manifest, opened);
  if (checked.valid) return { incompatible: null, settings: checked.settings };
  return {
    incompatible: checked.faults.map(({ setting, message }) => `${setting || 'SETTINGS'}: ${message}`).join('; '),
  };
}
