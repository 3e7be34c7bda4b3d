/** Models: list, add, change, remove, and import from a plugin's own list. */
import { z } from 'zod';
import { mayUseModel } from '../auth/permissions';
import * as contract from '../contract/models';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { modelView } from '../models/model-view';
import { Models } from '../models/models';
import { PluginModels } from '../models/plugin-models';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

const flag = z.enum(['true', 'false']).default('false');
const removalQuery = z.strictObject({
  force: flag.meta({ description: 'true: remove it also when virtual models have it.' }),
  dry_run: flag.meta({ description: 'true: only tell what would happen.' }),
});

export function modelRoutes({ models: deps }: ApiDeps): readonly Route[] {
  const models = new Models(deps);
  const pluginModels = new PluginModels(deps, models);
  return [
    route({
      method: 'GET',
      path: '/models',
      permission: 'MODELS_READ',
      summary: 'List models, available or not',
      query: noQuery,
      response: listOf(contract.model),
      handler: ({ identity: { account } }) =>
        whole(
          deps.catalogue
            .all()
            .filter((model) => mayUseModel(account, model))
            .map((model) => modelView(model, account, deps)),
        ),
    }),
    route({
      method: 'POST',
      path: '/models',
      permission: 'MODELS_ADMIN',
      summary: 'Add a model',
      description: 'It can be asked for at once, here and within a second at other processes.',
      request: contract.createModel,
      response: contract.model,
      status: 201,
      errors: ['plugin_not_found', 'name_taken'],
      handler: async ({ identity: { account }, body }) =>
        modelView(await models.add(body, account.name), account, deps),
    }),
    route({
      method: 'GET',
      path: '/models/{id}',
      permission: 'MODELS_READ',
      summary: 'One model, by id or alias',
      description: 'A slash or a space in the name is sent encoded (%2F, %20).',
      response: contract.model,
      errors: ['model_not_found'],
      handler({ identity: { account }, params }) {
        const model = models.known(params['id']);
        if (!mayUseModel(account, model)) throw new AppError('model_not_found');
        return modelView(model, account, deps);
      },
    }),
    route({
      method: 'PATCH',
      path: '/models/{id}',
      permission: 'MODELS_ADMIN',
      summary: 'Change the availability, aliases or abilities of a model',
      request: contract.changeModel,
      response: contract.model,
      errors: ['model_not_found', 'name_taken', 'defined_in_settings'],
      handler: async ({ identity: { account }, params, body }) =>
        modelView(await models.change(params['id'], body, account.name), account, deps),
    }),
    route({
      method: 'DELETE',
      path: '/models/{id}',
      permission: 'MODELS_ADMIN',
      summary: 'Remove a model from the catalogue',
      description:
        'Refused while virtual models have it as a member, unless `force`: then it is taken out of them, and those left with fewer than two members are disabled. Files and backends stay.',
      query: removalQuery,
      response: contract.modelRemoval,
      errors: ['model_not_found', 'model_in_use', 'defined_in_settings'],
      async handler({ identity, params, query }) {
        if (query.dry_run === 'true') return { ...models.removal(params['id']), dry_run: true };
        return {
          ...(await models.remove(params['id'], query.force === 'true', identity.account.name)),
          dry_run: false,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/plugins/{id}/models',
      permission: 'MODELS_ADMIN',
      summary: "A plugin's own list of models",
      description: 'Asked of its backend now, or read from its models directory.',
      query: noQuery,
      response: listOf(contract.pluginModel),
      errors: ['plugin_not_found', 'plugin_unavailable', 'discovery_failed'],
      handler: async ({ params }) => whole(await pluginModels.list(params['id'])),
    }),
    route({
      method: 'POST',
      path: '/plugins/{id}/models/import',
      permission: 'MODELS_ADMIN',
      summary: "Add models from a plugin's own list",
      description:
        'Capabilities, modalities and context come from the list where it tells them. Repeating it is harmless.',
      request: contract.importModels,
      response: contract.importedModels,
      errors: ['plugin_not_found', 'plugin_unavailable', 'discovery_failed'],
      async handler({ identity: { account }, params, body }) {
        const imported = await pluginModels.import(params['id'], body.models ?? null, body.enabled, account.name);
        return {
          added: imported.added.map((model) => modelView(model, account, deps)),
          skipped: [...imported.skipped],
        };
      },
    }),
  ];
}
