/** GET /v1/models and /v1/models/{id} (contract 6), with what a model can do as extra fields SDKs ignore. */
import type { Catalogue, CatalogueModel } from '../../activities/catalogue';
import type { PluginHost } from '../../activities/plugin-host';
import { standingProblem } from '../../activities/plugin-problem';
import { AppError } from '../errors/app-error';

export interface OpenAiModel {
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly owned_by: string;
  readonly capabilities: readonly string[];
  readonly modalities: readonly string[];
}

/** Those a request could be sent to now; disabled ones and those of unusable plugins are left out. */
export function listModels(catalogue: Catalogue, plugins: PluginHost): { object: 'list'; data: OpenAiModel[] } {
  const usable = catalogue.all().filter((model) => isUsable(model, plugins));
  return { object: 'list', data: usable.map(present) };
}

export function getModel(catalogue: Catalogue, plugins: PluginHost, name: string): OpenAiModel {
  const model = catalogue.find(name);
  if (!model || !isUsable(model, plugins)) throw new AppError('model_not_found', { param: 'model' });
  return present(model);
}

function isUsable(model: CatalogueModel, plugins: PluginHost): boolean {
  return model.enabled && standingProblem(plugins.get(model.pluginId), model.pluginId) === null;
}

function present(model: CatalogueModel): OpenAiModel {
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.createdAt / 1_000),
    owned_by: model.pluginId,
    capabilities: model.capabilities,
    modalities: model.modalities,
  };
}
