/** What `limits.ts` and `seats.ts` are told of the installation (spec A5). */
import type { AgingSettings } from './aging';

export interface PluginLimits {
  readonly maxConcurrentTasks: number;
  /** Its backend is a process of this host. */
  readonly local: boolean;
  readonly oneModelAtATime: boolean;
}

export interface LimitSettings {
  /** 0: no limit. */
  readonly maxRunningPerOwner: number;
  readonly maxRunningLocalBackends: number;
  readonly aging: AgingSettings;
  /** Null: no such plugin, or none that can be used now. */
  readonly plugin: (pluginId: string) => PluginLimits | null;
}
