/**
 * What can be asked for: the models of the settings file and of the database, by id and alias.
 * A snapshot in memory, so that resolving a request costs no query.
 */
import type { Settings } from '../config/schema';
import type { ModelRow } from '../store/records';
import type { Catalogue as CatalogueStore } from '../store/store';

export interface CatalogueModel extends Omit<ModelRow, 'createdAt'> {
  /** Those of the settings file are read-only to the API. */
  readonly origin: 'config' | 'database';
  readonly createdAt: number;
}

export class Catalogue {
  private byName = new Map<string, CatalogueModel>();
  private models: readonly CatalogueModel[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly store: CatalogueStore,
    private readonly startedAt: number,
  ) {}

  /** Reads the database's part again; call after each change. */
  async refresh(): Promise<void> {
    const configured = this.settings.MODELS.CATALOG.map((model): CatalogueModel => ({
      id: model.ID,
      pluginId: model.PLUGIN,
      upstreamModel: model.UPSTREAM_MODEL,
      aliases: model.ALIASES,
      capabilities: model.CAPABILITIES,
      modalities: model.MODALITIES,
      enabled: model.ENABLED,
      origin: 'config',
      createdAt: this.startedAt,
    }));
    const taken = new Set(configured.map((model) => model.id));
    const stored = (await this.store.models())
      .filter((row) => !taken.has(row.id))
      .map((row): CatalogueModel => ({ ...row, origin: 'database' }));
    this.models = [...configured, ...stored];
    this.byName = new Map();
    for (const model of this.models) for (const alias of model.aliases) this.byName.set(alias, model);
    for (const model of this.models) this.byName.set(model.id, model);
  }

  all(): readonly CatalogueModel[] {
    return this.models;
  }

  /** By id or alias; an id wins over another model's alias. */
  find(name: string): CatalogueModel | undefined {
    return this.byName.get(name);
  }
}
