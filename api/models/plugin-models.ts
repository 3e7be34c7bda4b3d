/** A plugin's own list of models, and taking models from it into the catalogue. */
import type { HostedPlugin } from '../../activities/hosted-plugin';
import { CAPABILITIES, MODALITIES } from '../../config/sections/catalog';
import type { DiscoveredModel } from '../../plugins/adapter';
import type { CatalogueModel } from '../../activities/catalogue';
import type { CreateModel, PluginModel } from '../contract/models';
import { AppError } from '../errors/app-error';
import { idFor } from './import-id';
import type { ModelDeps } from './model-deps';
import type { Models } from './models';

/** How long a backend may take to tell its models. */
const DISCOVERY_MS = 15_000;

export interface Imported {
  readonly added: readonly CatalogueModel[];
  readonly skipped: readonly { readonly upstream_model: string; readonly reason: string }[];
}

export class PluginModels {
  constructor(
    private readonly deps: ModelDeps,
    private readonly models: Models,
  ) {}

  async list(pluginId: string | undefined): Promise<PluginModel[]> {
    const plugin = this.plugin(pluginId);
    return (await this.discover(plugin)).map((found) => ({
      upstream_model: found.upstreamModel,
      capabilities: [...found.capabilities],
      modalities: [...found.modalities],
      context_tokens: found.contextTokens,
      model: this.inCatalogue(plugin.id, found.upstreamModel)?.id ?? null,
    }));
  }

  /** `wanted` null: the whole list. What can't be taken is skipped with its reason. */
  async import(
    pluginId: string | undefined,
    wanted: readonly string[] | null,
    enabled: boolean,
    by: string,
  ): Promise<Imported> {
    const plugin = this.plugin(pluginId);
    const found = await this.discover(plugin);
    const byName = new Map(found.map((model) => [model.upstreamModel, model]));
    const added: CatalogueModel[] = [];
    const skipped: { upstream_model: string; reason: string }[] = [];
    for (const name of new Set(wanted ?? byName.keys())) {
      const model = byName.get(name);
      const existing = this.inCatalogue(plugin.id, name);
      if (!model) skipped.push({ upstream_model: name, reason: "The plugin's list does not have it." });
      else if (existing) skipped.push({ upstream_model: name, reason: `It is in the catalogue as '${existing.id}'.` });
      else {
        const outcome = await this.add(plugin.id, model, enabled, by);
        if (typeof outcome === 'string') skipped.push({ upstream_model: name, reason: outcome });
        else added.push(outcome);
      }
    }
    return { added, skipped };
  }

  /** The reason when it can't be added. */
  private async add(
    pluginId: string,
    found: DiscoveredModel,
    enabled: boolean,
    by: string,
  ): Promise<CatalogueModel | string> {
    const id = idFor(found.upstreamModel, pluginId, (name) => this.isTaken(name));
    if (id === null) return 'No name for it is free.';
    const body: CreateModel = {
      id,
      plugin: pluginId,
      upstream_model: found.upstreamModel,
      aliases: [],
      capabilities: orDefault(CAPABILITIES, found.capabilities, 'chat'),
      modalities: orDefault(MODALITIES, found.modalities, 'text'),
      context_tokens: found.contextTokens,
      enabled,
    };
    try {
      return await this.models.add(body, by);
    } catch (error) {
      if (error instanceof AppError && error.code === 'name_taken') return error.message;
      throw error;
    }
  }

  private plugin(id: string | undefined): HostedPlugin {
    const plugin = id === undefined ? undefined : this.deps.plugins.get(id);
    if (!plugin) throw new AppError('plugin_not_found');
    return plugin;
  }

  private async discover({ id, adapter, incompatible }: HostedPlugin): Promise<readonly DiscoveredModel[]> {
    if (!adapter) {
      throw new AppError('plugin_unavailable', { message: `The plugin '${id}' can't be asked: ${incompatible}.` });
    }
    try {
      return await adapter.discover(AbortSignal.timeout(DISCOVERY_MS));
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it gave no reason.';
      throw new AppError('discovery_failed', { message: `The plugin '${id}' does not tell its models: ${why}` });
    }
  }

  private inCatalogue(pluginId: string, upstreamModel: string): CatalogueModel | undefined {
    return this.deps.catalogue
      .all()
      .find((model) => model.pluginId === pluginId && model.upstreamModel === upstreamModel);
  }

  private isTaken(name: string): boolean {
    const key = name.toLowerCase();
    const { catalogue } = this.deps;
    return (
      catalogue.virtual(name) !== undefined ||
      catalogue.all().some(({ id, aliases }) => [id, ...aliases].some((each) => each.toLowerCase() === key))
    );
  }
}

/** Those of the names that are known words; the fallback when none is. */
function orDefault<T extends string>(words: readonly T[], names: readonly string[], fallback: T): T[] {
  const known = words.filter((word) => names.includes(word));
  return known.length > 0 ? known : [fallback];
}
