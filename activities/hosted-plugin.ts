/** A plugin as the rest of the process sees it. */
import type { Adapter, PluginManifest } from '../plugins/adapter';

/** F6: an ordinary quarantine can be cleared; one for integrity ends with a repair. */
export interface Quarantine {
  readonly state: 'none' | 'quarantined' | 'integrity';
  readonly reason: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number | null;
}

export const NOT_QUARANTINED: Quarantine = { state: 'none', reason: null, since: null };

/** A plugin as it stands. A change makes a new one: ask the host again rather than keeping it. */
export interface HostedPlugin {
  readonly id: string;
  readonly packageName: string;
  readonly origin: 'config' | 'database';
  readonly enabled: boolean;
  readonly maxConcurrentTasks: number;
  readonly manifest: PluginManifest | null;
  /** Why it can't be used: unknown package, settings at fault. */
  readonly incompatible: string | null;
  /** Null when incompatible. */
  readonly adapter: Adapter | null;
  readonly quarantine: Quarantine;
  /** Finishes what it runs and takes nothing new. */
  readonly draining: boolean;
}
