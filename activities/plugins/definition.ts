/** A plugin as it is defined, in the settings file or in the database. */
import type { Settings } from '../../config/schema';
import type { PluginOptions, PluginRow } from '../../store/records';

export interface PluginDefinition extends PluginRow {
  /** Those of the settings file are read-only to the API. */
  readonly origin: 'config' | 'database';
}

export const DEFAULT_OPTIONS: PluginOptions = { idleUnloadSec: 0, preload: false };

export function configured({ PLUGINS }: Pick<Settings, 'PLUGINS'>, startedAt: number): PluginDefinition[] {
  return PLUGINS.map((plugin) => ({
    id: plugin.ID,
    package: plugin.PACKAGE,
    settings: plugin.SETTINGS,
    maxConcurrentTasks: plugin.MAX_CONCURRENT_TASKS,
    enabled: plugin.ENABLED,
    options: { idleUnloadSec: plugin.IDLE_UNLOAD_SEC, preload: plugin.PRELOAD },
    clonedFrom: null,
    packageDigest: null,
    files: null,
    createdAt: startedAt,
    origin: 'config',
  }));
}

/** Names are unique without regard to case, as in a settings file. */
export const sameId = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
