/**
 * What can be asked for: the models and virtual models of the settings file and of the database, by
 * name. A snapshot in memory, so that resolving a request costs no query.
 */
import type { Logger } from 'pino';
import type { Settings } from '../config/schema';
import type { Catalogue as CatalogueStore } from '../store/store';
import { mergeCatalogue, type CatalogueModel, type MergedCatalogue, type VirtualModel } from './merge-catalogue';

export type { CatalogueModel, VirtualModel };

/** How soon another process's change is seen here, ms. */
const WATCH_MS = 500;

export class Catalogue {
  private merged: MergedCatalogue = { models: [], virtuals: [], shadowed: [] };
  private modelsByName = new Map<string, CatalogueModel>();
  private virtualsByName = new Map<string, VirtualModel>();
  private readonly listeners = new Set<() => void>();
  private revision = -1;
  private watching: NodeJS.Timeout | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly store: CatalogueStore,
    private readonly startedAt: number,
    private readonly log: Logger,
  ) {}

  /** Reads the database's part again; call after each change. */
  async refresh(): Promise<void> {
    // Read first: a change between the two is then found by the next look.
    const revision = await this.store.revision();
    const [models, virtuals] = await Promise.all([this.store.models(), this.store.virtualModels()]);
    if (revision < this.revision) return;
    this.revision = revision;
    this.adopt(mergeCatalogue(this.settings.MODELS, { models, virtuals }, this.startedAt));
  }

  /** Follows the changes that other processes make, until `stop`. */
  watch(): void {
    this.watching ??= setInterval(() => void this.look(), WATCH_MS);
    this.watching.unref();
  }

  stop(): void {
    if (this.watching) clearInterval(this.watching);
    this.watching = null;
  }

  /** @returns the end of the subscription */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  all(): readonly CatalogueModel[] {
    return this.merged.models;
  }

  /** By id or alias; an id wins over another model's alias. */
  find(name: string): CatalogueModel | undefined {
    return this.modelsByName.get(name);
  }

  virtuals(): readonly VirtualModel[] {
    return this.merged.virtuals;
  }

  /** Without regard to case. Disabled ones are found too. */
  virtual(name: string): VirtualModel | undefined {
    return this.virtualsByName.get(name.toLowerCase());
  }

  private adopt(merged: MergedCatalogue): void {
    for (const name of merged.shadowed) {
      if (this.merged.shadowed.includes(name)) continue;
      this.log.warn({ model: name }, 'a model of the database is left out: the settings file uses its name');
    }
    this.merged = merged;
    this.modelsByName = new Map();
    for (const model of merged.models) for (const alias of model.aliases) this.modelsByName.set(alias, model);
    for (const model of merged.models) this.modelsByName.set(model.id, model);
    this.virtualsByName = new Map(merged.virtuals.map((virtual) => [virtual.name.toLowerCase(), virtual]));
    for (const listener of this.listeners) listener();
  }

  private async look(): Promise<void> {
    try {
      if ((await this.store.revision()) !== this.revision) await this.refresh();
    } catch {
      // The database's own watch reports an outage; the next look comes by itself.
    }
  }
}
