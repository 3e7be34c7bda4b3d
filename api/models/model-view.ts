import type { CatalogueModel } from '../../activities/catalogue';
import { pluginProblem } from '../../activities/plugin-problem';
import type { Account } from '../../store/records';
import { permits } from '../auth/permissions';
import type { Model } from '../contract/models';
import { modelDefinition } from './definition';
import type { ModelDeps } from './model-deps';

export function modelView(model: CatalogueModel, account: Account, deps: ModelDeps): Model {
  const reason = model.enabled ? (problemOf(model, deps)?.sentence ?? null) : 'it is disabled.';
  const definition = permits(account, 'MODELS_ADMIN') ? modelDefinition(deps, model) : null;
  return {
    id: model.id,
    plugin: model.pluginId,
    upstream_model: model.upstreamModel,
    aliases: [...model.aliases],
    capabilities: [...model.capabilities],
    modalities: [...model.modalities],
    context_tokens: model.contextTokens,
    enabled: model.enabled,
    origin: model.origin,
    defined_in: definition && { place: definition.place, applied_by: definition.appliedBy },
    virtual_models: deps.catalogue
      .virtuals()
      .filter(({ members }) => members.includes(model.id))
      .map(({ name }) => name),
    available: reason === null,
    reason,
  };
}

function problemOf(model: CatalogueModel, { plugins }: ModelDeps): ReturnType<typeof pluginProblem> {
  return pluginProblem(plugins.get(model.pluginId), model.pluginId);
}
