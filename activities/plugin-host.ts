/** The plugins of this process: one adapter each, made from the settings file or the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { NOT_QUARANTINED, type HostedPlugin, type Quarantine } from './hosted-plugin';
import { configured, type PluginDefinition } from './plugins/definition';
import type { HostedAdapter } from './plugins/hosted-adapter';
import { makePlugin, type PluginMaking } from './plugins/make-plugin';

/** `loadMs`: what bringing the model into memory took. */
export type LoadListener = (load: {
  readonly pluginId: string;
  readonly upstreamModel: string;
  readonly loadMs: number;
}) => void;

export interface PluginHostOptions extends PluginMaking {
  /** Definitions of the database, oldest first. */
  readonly stored: () => Promise<readonly Omit<PluginDefinition, 'origin'>[]>;
  /** Quarantines that outlived a restart, by plugin. */
  readonly quarantines: () => Promise<ReadonlyMap<string, Quarantine>>;
}

/** A replaced adapter of a remote backend is closed when its last call has ended, at the latest after this, ms. */
const RETIRE_WITHIN_MS = 600_000;
const RETIRE_LOOK_MS = 500;

export class PluginHost {
  private readonly plugins = new Map<string, HostedPlugin>();
  private readonly definitions = new Map<string, PluginDefinition>();
  private readonly adapters = new Map<string, HostedAdapter>();
  private readonly listeners = new Set<(plugin: HostedPlugin) => void>();
  private readonly removalListeners = new Set<(id: string) => void>();
  private readonly loadListeners = new Set<LoadListener>();

  constructor(private readonly options: PluginHostOptions) {}

  async load(): Promise<void> {
    const { settings, stored, quarantines, now } = this.options;
    const definitions = configured(settings, now());
    const taken = new Set(definitions.map(({ id }) => id.toLowerCase()));
    for (const row of await stored()) {
      if (!taken.has(row.id.toLowerCase())) definitions.push({ ...row, origin: 'database' });
    }
    const kept = await quarantines();
    for (const definition of definitions) {
      await this.put(definition);
      const quarantine = kept.get(definition.id);
      if (quarantine) this.setQuarantine(definition.id, quarantine);
    }
  }

  get(id: string): HostedPlugin | undefined {
    return this.plugins.get(id);
  }

  all(): readonly HostedPlugin[] {
    return [...this.plugins.values()];
  }

  definition(id: string): PluginDefinition | undefined {
    return this.definitions.get(id);
  }

  /** Calls at work and when there was one last; null for a plugin without an adapter. */
  useOf(id: string): HostedAdapter['use'] | null {
    return this.adapters.get(id)?.use ?? null;
  }

  /** Told after each change of a plugin's state here. @returns the end of the subscription */
  onChange(listener: (plugin: HostedPlugin) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Told after each removal. @returns the end of the subscription */
  onRemoved(listener: (id: string) => void): () => void {
    this.removalListeners.add(listener);
    return () => this.removalListeners.delete(listener);
  }

  /** Told of each model that a local backend has brought into memory. */
  onLoaded(listener: LoadListener): void {
    this.loadListeners.add(listener);
  }

  /** Takes a plugin up, or takes it up anew with another definition; its quarantine and draining stay. */
  async put(definition: PluginDefinition): Promise<void> {
    const { id } = definition;
    const before = this.plugins.get(id);
    await this.retire(id);
    const { plugin, adapter } = await makePlugin(definition, this.options, {
      barred: () => this.barred(id),
      changed: () => this.tell(id),
      loaded: (upstreamModel, loadMs) => {
        for (const listener of this.loadListeners) listener({ pluginId: id, upstreamModel, loadMs });
      },
    });
    this.definitions.set(id, definition);
    if (adapter) this.adapters.set(id, adapter);
    this.plugins.set(id, {
      ...plugin,
      quarantine: before?.quarantine ?? NOT_QUARANTINED,
      draining: before?.draining ?? false,
    });
    this.tell(id);
  }

  /** What needs no new adapter. */
  adjust(definition: PluginDefinition): void {
    const { id, enabled, maxConcurrentTasks } = definition;
    this.definitions.set(id, definition);
    this.change(id, { enabled, maxConcurrentTasks });
  }

  async remove(id: string): Promise<void> {
    await this.adapters.get(id)?.stop();
    this.adapters.delete(id);
    this.definitions.delete(id);
    this.plugins.delete(id);
    for (const listener of this.removalListeners) listener(id);
  }

  /** Requests are refused from now on, or again taken. Keeping it over a restart is the caller's part. */
  setQuarantine(id: string, quarantine: Quarantine): void {
    this.change(id, { quarantine });
  }

  setDraining(id: string, draining: boolean): void {
    this.change(id, { draining });
  }

  async restart(id: string): Promise<void> {
    const adapter = this.plugins.get(id)?.adapter;
    await adapter?.stop();
    await adapter?.start();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.all().map(async ({ adapter }) => adapter?.stop()));
  }

  private change(id: string, change: Partial<HostedPlugin>): void {
    const plugin = this.plugins.get(id);
    if (!plugin) return;
    this.plugins.set(id, { ...plugin, ...change });
    this.tell(id);
  }

  private tell(id: string): void {
    const plugin = this.plugins.get(id);
    if (plugin) for (const listener of this.listeners) listener(plugin);
  }

  /** F6: files that are not what was recorded never run. */
  private barred(id: string): string | null {
    const { state, reason } = this.plugins.get(id)?.quarantine ?? NOT_QUARANTINED;
    return state === 'integrity' ? `The plugin is quarantined: ${reason ?? 'its files were changed'}.` : null;
  }

  /** A local backend makes room for its successor; a remote one may finish what it runs. */
  private async retire(id: string): Promise<void> {
    const old = this.adapters.get(id);
    if (!old) return;
    this.adapters.delete(id);
    if (this.plugins.get(id)?.manifest?.local === true) return old.stop();
    void (async () => {
      const until = this.options.now() + RETIRE_WITHIN_MS;
      while (old.use.active > 0 && this.options.now() < until) {
        await delay(RETIRE_LOOK_MS, undefined, { ref: false });
      }
      await old.stop();
    })();
  }
}
