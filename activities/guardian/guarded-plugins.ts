/** What the guardian's activities need to know of and do to the plugins of this process. */
import type { Adapter } from '../../plugins/adapter';
import type { Quarantine } from '../hosted-plugin';

export interface GuardedPlugin {
  readonly id: string;
  readonly local: boolean;
  /** Switched off, or it can't be used at all: there is nothing to watch. */
  readonly idle: boolean;
  readonly adapter: Adapter | null;
  readonly quarantine: Quarantine;
}

export interface GuardedPlugins {
  get(pluginId: string): GuardedPlugin | undefined;
  all(): readonly GuardedPlugin[];
  /** Called with each plugin that is new or changed. */
  onChange(listener: (pluginId: string) => void): void;
  onRemoved(listener: (pluginId: string) => void): void;
  setQuarantine(pluginId: string, quarantine: Quarantine): void;
  /** F6: quarantines it when its files are not what was recorded. False: it was so just now. */
  checkFiles(pluginId: string): Promise<boolean>;
  /** When each call running there last gave a sign of life. */
  progressOf(pluginId: string): readonly number[];
  /** F4: ends that plugin's queued and running work, nobody else's. Tells how many. */
  purge(pluginId: string): Promise<number>;
}
