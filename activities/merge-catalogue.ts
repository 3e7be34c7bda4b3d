/** The settings file's models and the database's as one catalogue. The file wins where both use a name (D2). */
import type { Settings } from '../config/schema';
import type { ModelRow, VirtualModelRow } from '../store/records';

export interface CatalogueModel extends ModelRow {
  /** Those of the settings file are read-only to the API. */
  readonly origin: 'config' | 'database';
}

export interface VirtualModel {
  readonly name: string;
  readonly strategy: 'failover' | 'load_balancing';
  /** Model ids, in the order in which failover tries them. */
  readonly members: readonly string[];
  readonly enabled: boolean;
  /** Those of the settings file are read-only to the API (D8). */
  readonly origin: 'config' | 'api';
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MergedCatalogue {
  readonly models: readonly CatalogueModel[];
  readonly virtuals: readonly VirtualModel[];
  /** What the database has under a name that is taken; it is left out. */
  readonly shadowed: readonly string[];
}

export interface StoredCatalogue {
  readonly models: readonly ModelRow[];
  readonly virtuals: readonly VirtualModelRow[];
}

/** `startedAt` stands for the time at which the settings file's entries were made. */
export function mergeCatalogue(
  { CATALOG, ROUTING }: Settings['MODELS'],
  stored: StoredCatalogue,
  startedAt: number,
): MergedCatalogue {
  const models = CATALOG.map((model): CatalogueModel => ({
    id: model.ID,
    pluginId: model.PLUGIN,
    upstreamModel: model.UPSTREAM_MODEL,
    aliases: model.ALIASES,
    capabilities: model.CAPABILITIES,
    modalities: model.MODALITIES,
    contextTokens: model.CONTEXT_TOKENS,
    enabled: model.ENABLED,
    origin: 'config',
    createdAt: startedAt,
  }));
  const virtuals = ROUTING.VIRTUAL_MODELS.map((virtual): VirtualModel => ({
    name: virtual.NAME,
    strategy: virtual.STRATEGY,
    members: virtual.MEMBERS,
    enabled: true,
    origin: 'config',
    createdAt: startedAt,
    updatedAt: startedAt,
  }));

  const taken = new Set<string>();
  const claim = (name: string): boolean => !taken.has(name.toLowerCase()) && Boolean(taken.add(name.toLowerCase()));
  for (const model of models) for (const name of [model.id, ...model.aliases]) claim(name);
  for (const { name } of virtuals) claim(name);
  const shadowed: string[] = [];
  const kept = stored.models.filter(({ id }) => claim(id) || !shadowed.push(id));
  models.push(
    ...kept.map((row): CatalogueModel => ({ ...row, aliases: row.aliases.filter(claim), origin: 'database' })),
  );
  for (const row of stored.virtuals) {
    if (claim(row.name)) virtuals.push({ ...row, origin: 'api' });
    else shadowed.push(row.name);
  }
  return { models, virtuals, shadowed };
}
