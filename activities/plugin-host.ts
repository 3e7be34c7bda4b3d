/** The plugins of this process: one adapter each, made from the settings file or the database. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/schema';
import type { Adapter, PluginManifest, PluginPackage } from '../plugins/adapter';
import { checkSettings } from '../plugins/manifest-settings';
import { bundledPackages } from '../plugins/registry';
import type { PluginRow } from '../store/records';
import type { Catalogue as CatalogueStore } from '../store/store';

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

export interface PluginHostOptions {
  readonly settings: Settings;
  readonly store: CatalogueStore;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly log: Logger;
}

export class PluginHost {
  private readonly plugins = new Map<string, HostedPlugin>();
  private readonly listeners = new Set<(plugin: HostedPlugin) => void>();

  constructor(private readonly options: PluginHostOptions) {}

  async load(): Promise<void> {
    const { settings, store } = this.options;
    const rows: (Omit<PluginRow, 'createdAt'> & { origin: 'config' | 'database' })[] = settings.PLUGINS.map(
      (plugin) => ({
        id: plugin.ID,
        package: plugin.PACKAGE,
        settings: plugin.SETTINGS,
        maxConcurrentTasks: plugin.MAX_CONCURRENT_TASKS,
        enabled: plugin.ENABLED,
        options: { idleUnloadSec: plugin.IDLE_UNLOAD_SEC, preload: plugin.PRELOAD },
        clonedFrom: null,
        packageDigest: null,
        files: null,
        origin: 'config',
      }),
    );
    const taken = new Set(rows.map((row) => row.id));
    for (const row of await store.plugins()) if (!taken.has(row.id)) rows.push({ ...row, origin: 'database' });
    for (const row of rows) this.plugins.set(row.id, await this.host(row));
  }

  get(id: string): HostedPlugin | undefined {
    return this.plugins.get(id);
  }

  all(): readonly HostedPlugin[] {
    return [...this.plugins.values()];
  }

  /** Told after each change of a plugin's state here. @returns the end of the subscription */
  onChange(listener: (plugin: HostedPlugin) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
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
    const changed = { ...plugin, ...change };
    this.plugins.set(id, changed);
    for (const listener of this.listeners) listener(changed);
  }

  private async host(row: Omit<PluginRow, 'createdAt'> & { origin: 'config' | 'database' }): Promise<HostedPlugin> {
    const pkg = bundledPackages.get(row.package);
    const base = {
      id: row.id,
      packageName: row.package,
      origin: row.origin,
      enabled: row.enabled,
      maxConcurrentTasks: row.maxConcurrentTasks,
      manifest: pkg?.manifest ?? null,
      quarantine: NOT_QUARANTINED,
      draining: false,
    };
    if (!pkg) {
      const known = [...bundledPackages.keys()].join(', ');
      return { ...base, incompatible: `unknown package "${row.package}"; known: ${known}`, adapter: null };
    }
    const checked = checkSettings(pkg.manifest, row.settings);
    if (!checked.valid) {
      const faults = checked.faults.map(({ setting, message }) => `${setting || 'SETTINGS'}: ${message}`);
      this.options.log.error({ plugin: row.id, faults }, 'plugin settings are at fault');
      return { ...base, incompatible: faults.join('; '), adapter: null };
    }
    return { ...base, incompatible: null, adapter: await this.create(pkg, row.id, checked.settings) };
  }

  private async create(pkg: PluginPackage, id: string, settings: Readonly<Record<string, unknown>>): Promise<Adapter> {
    const dataDir = path.join(this.options.dataDir, 'plugins', encodeURIComponent(id));
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const log = this.options.log.child({ source: 'plugin', plugin: id });
    return pkg.create({
      id,
      settings,
      dataDir,
      cacheDir: this.options.cacheDir,
      log: (level, message, fields) => log[level](fields ?? {}, message),
    });
  }
}
