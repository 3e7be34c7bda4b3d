/** Models, virtual models and plugins for the API under test: the real catalogue over the memory store. */
import type { Logger } from 'pino';
import { Catalogue } from '../../activities/catalogue';
import { Downloads } from '../../activities/downloads';
import type { CircuitView } from '../../activities/circuits';
import { NOT_QUARANTINED, type HostedPlugin } from '../../activities/hosted-plugin';
import type { ModelDeps } from '../../api/models/model-deps';
import type { Origins } from '../../config/origins';
import { settingsSchema, type Settings } from '../../config/schema';
import type { Adapter, DiscoveredModel } from '../../plugins/adapter';
import type { MemoryStore } from './memory-store';

export interface ModelWorldOptions {
  /** MODELS of the settings file. */
  readonly models?: object;
  readonly origins?: Origins;
}

export class ModelWorld {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly downloads: Downloads;
  readonly plugins = new Map<string, HostedPlugin>();
  readonly circuits = new Map<string, CircuitView>();
  /** Ends of cooldowns by model id, ms since the epoch; below by virtual model. */
  readonly memberCooldowns = new Map<string, number>();
  readonly virtualCooldowns = new Map<string, number>();

  constructor(
    private readonly store: MemoryStore,
    private readonly clock: { readonly now: number },
    private readonly log: Logger,
    private readonly options: ModelWorldOptions = {},
  ) {
    this.settings = settingsSchema.parse({ MODELS: options.models ?? {} });
    this.catalogue = new Catalogue(this.settings, store.asStore().catalogue, clock.now, log);
    this.downloads = new Downloads({
      store: store.asStore().downloads,
      filesOf: (id) => this.plugins.get(id)?.adapter?.files,
      host: 'host-1',
      log,
      now: () => clock.now,
      pause: () => Promise.resolve(),
    });
    this.addPlugin('p1');
  }

  addPlugin(id: string, fields: Partial<HostedPlugin> = {}): void {
    this.plugins.set(id, {
      id,
      packageName: 'openai-compatible',
      origin: 'config',
      enabled: true,
      maxConcurrentTasks: 8,
      manifest: null,
      incompatible: null,
      adapter: anAdapter([]),
      quarantine: NOT_QUARANTINED,
      draining: false,
      ...fields,
    });
  }

  async addModels(...ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.store.catalogue.addModel(modelRow(id));
    await this.catalogue.refresh();
  }

  deps(): ModelDeps {
    return {
      catalogue: this.catalogue,
      store: this.store.asStore().catalogue,
      plugins: { get: (id) => this.plugins.get(id) },
      circuits: { view: (id) => this.circuits.get(id) ?? CLOSED },
      cooldowns: {
        memberUntil: (id) => this.memberCooldowns.get(id) ?? 0,
        virtualUntil: (name) => this.virtualCooldowns.get(name) ?? 0,
      },
      downloads: this.downloads,
      origins: this.options.origins ?? {},
      routing: this.settings.MODELS.ROUTING,
      log: this.log,
      now: () => this.clock.now,
    };
  }
}

const CLOSED: CircuitView = { state: 'closed', failureCount: 0, lastFailureAt: null, retryAt: null, probing: false };

export const modelRow = (id: string) => ({
  id,
  pluginId: 'p1',
  upstreamModel: id,
  aliases: [] as string[],
  capabilities: ['chat'],
  modalities: ['text'],
  contextTokens: null,
  enabled: true,
  createdAt: 0,
});

/** An adapter as far as managing models asks for one. */
export function anAdapter(
  discovered: readonly DiscoveredModel[] | Error,
  state: Adapter['backend']['state'] = 'running',
) {
  return {
    backend: { state, detail: null },
    discover: () => (discovered instanceof Error ? Promise.reject(discovered) : Promise.resolve(discovered)),
  } as Partial<Adapter> as Adapter;
}
