/** What the API needs from the rest of the process; `main.ts` puts it together. */
import type { Logger } from 'pino';
import type { Dispatcher } from '../activities/dispatcher';
import type { Engine } from '../activities/engine';
import type { LogFiles } from '../activities/logs/log-files';
import type { ShelvedPackage } from '../activities/plugins/package-shelf';
import type { PluginLife } from '../activities/plugins/plugin-life';
import type { Settings } from '../config/schema';
import type { Store } from '../store/store';
import type { PluginDetail, PluginPackageView } from './contract/plugins';
import type { Health, LiveEvent, Plugin } from './contract/management';
import type { ModelDeps } from './models/model-deps';

/** What `PluginViews` shows. */
export interface PluginsShown {
  plugins(): readonly Plugin[];
  detail(id: string): Promise<PluginDetail | null>;
  packages(): readonly PluginPackageView[];
  packageView(found: ShelvedPackage): PluginPackageView;
}

/** The operator's part in a plugin's health (spec F6). Only called with an id from `plugins()`. */
export interface PluginHealthActions {
  resetCircuit(pluginId: string): Promise<void>;
  clearQuarantine(pluginId: string): Promise<void>;
}

export interface LiveEvents {
  /** @returns the end of the subscription */
  subscribe(listener: (event: LiveEvent) => void): () => void;
}

export interface ApiDeps {
  readonly settings: Pick<Settings, 'SERVER'>;
  readonly store: Store;
  readonly dispatcher: Pick<Dispatcher, 'cancel' | 'standing' | 'snapshot'>;
  readonly engine: Engine;
  readonly models: ModelDeps;
  readonly pluginViews: PluginsShown;
  readonly plugins: Pick<PluginLife, 'actions' | 'switches' | 'packages'>;
  readonly pluginHealth: PluginHealthActions;
  readonly live: LiveEvents;
  readonly log: Logger;
  readonly logs: Pick<LogFiles, 'read' | 'sources' | 'subscribe'>;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Bearer token of the runtime file; '' for none. */
  readonly operatorToken: string;
  readonly dataDir: string;
  /** The built WebUI; it need not exist. */
  readonly webRoot: string;
  /** Fires when the server stops: open event streams end. */
  readonly stopping: AbortSignal;
  /** C9; cheap, from memory. */
  health(): Health;
  /** Where the server can be reached, e.g. http://127.0.0.1:8420. */
  addresses(): readonly string[];
  now(): number;
}
