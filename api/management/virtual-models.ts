/** Virtual models and the routing as it stands (spec D). */
import { z } from 'zod';
import * as contract from '../contract/models';
import type { ApiDeps } from '../deps';
import { virtualModelView } from '../models/virtual-model-view';
import { VirtualModels } from '../models/virtual-models';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

const removalQuery = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: only tell what would be removed and what is kept.' }),
});

export function virtualModelRoutes({ models: deps }: ApiDeps): readonly Route[] {
  const virtualModels = new VirtualModels(deps);
  return [
    route({
      method: 'GET',
      path: '/virtual-models',
      permission: 'MODEL_ROUTING_READ',
      summary: 'List virtual models, disabled ones too',
      query: noQuery,
      response: listOf(contract.virtualModel),
      handler: ({ identity }) =>
        whole(deps.catalogue.virtuals().map((virtual) => virtualModelView(virtual, identity.account, deps))),
    }),
    route({
      method: 'POST',
      path: '/virtual-models',
      permission: 'MODEL_ROUTING_ADMIN',
      summary: 'Create a virtual model',
      description: 'Every member is checked; a refusal names each rejected one with its reason, also in `faults`.',
      request: contract.createVirtualModel,
      response: contract.virtualModel,
      status: 201,
      errors: ['members_rejected', 'name_taken'],
      handler: async ({ identity, body }) =>
        virtualModelView(await virtualModels.create(body, identity.account.name), identity.account, deps),
    }),
    route({
      method: 'GET',
      path: '/virtual-models/{name}',
      permission: 'MODEL_ROUTING_READ',
      summary: 'One virtual model, with each member as it stands now',
      description: 'A slash or a space in the name is sent encoded (%2F, %20).',
      response: contract.virtualModel,
      errors: ['virtual_model_not_found'],
      handler: ({ identity, params }) => virtualModelView(virtualModels.known(params['name']), identity.account, deps),
    }),
    route({
      method: 'PUT',
      path: '/virtual-models/{name}',
      permission: 'MODEL_ROUTING_ADMIN',
      summary: 'Set the strategy and the members of a virtual model',
      description: 'Its name is fixed. Every member is checked as on creation.',
      request: contract.replaceVirtualModel,
      response: contract.virtualModel,
      errors: ['virtual_model_not_found', 'members_rejected', 'defined_in_settings'],
      handler: async ({ identity, params, body }) =>
        virtualModelView(
          await virtualModels.change(params['name'], body, identity.account.name),
          identity.account,
          deps,
        ),
    }),
    route({
      method: 'PATCH',
      path: '/virtual-models/{name}',
      permission: 'MODEL_ROUTING_ADMIN',
      summary: 'Change what is given of a virtual model',
      request: contract.changeVirtualModel,
      response: contract.virtualModel,
      errors: ['virtual_model_not_found', 'members_rejected', 'defined_in_settings'],
      handler: async ({ identity, params, body }) =>
        virtualModelView(
          await virtualModels.change(params['name'], body, identity.account.name),
          identity.account,
          deps,
        ),
    }),
    ...(['enable', 'disable'] as const).map((verb) =>
      route({
        method: 'POST',
        path: `/virtual-models/{name}/${verb}`,
        permission: 'MODEL_ROUTING_ADMIN',
        summary: verb === 'enable' ? 'Take a virtual model into use' : 'Take a virtual model out of use',
        description:
          verb === 'enable'
            ? 'It is listed and accepts requests again.'
            : 'It leaves every list and refuses requests; its members go on under their own names.',
        response: contract.virtualModel,
        errors: ['virtual_model_not_found', 'members_rejected', 'defined_in_settings'],
        handler: async ({ identity, params }) =>
          virtualModelView(
            await virtualModels.change(params['name'], { enabled: verb === 'enable' }, identity.account.name),
            identity.account,
            deps,
          ),
      }),
    ),
    route({
      method: 'DELETE',
      path: '/virtual-models/{name}',
      permission: 'MODEL_ROUTING_ADMIN',
      summary: 'Delete a virtual model',
      description: 'Removes the alias only, never the models behind it.',
      query: removalQuery,
      response: contract.virtualModelRemoval,
      errors: ['virtual_model_not_found', 'defined_in_settings'],
      async handler({ identity, params, query }) {
        const { name, members } = virtualModels.changeable(params['name']);
        const dryRun = query.dry_run === 'true';
        if (!dryRun) await virtualModels.remove(name, identity.account.name);
        return { removed: name, dry_run: dryRun, kept_models: [...members] };
      },
    }),
    route({
      method: 'GET',
      path: '/routing',
      permission: 'MODEL_ROUTING_READ',
      summary: 'The routing as it stands: virtual models, their members and the settings in force',
      query: noQuery,
      response: contract.routing,
      handler: ({ identity }) => ({
        virtual_models: deps.catalogue.virtuals().map((virtual) => virtualModelView(virtual, identity.account, deps)),
        settings: {
          fair_task_rotation: deps.routing.FAIR_TASK_ROTATION,
          virtual_model_tries_per_member: deps.routing.VIRTUAL_MODEL_TRIES_PER_MEMBER,
          virtual_model_failover_cooldown_sec: deps.routing.HEALTH_CHECKS.VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC,
          queue_capacity: deps.routing.QUEUE_CAPACITY,
          max_running_local_backends: deps.routing.MAX_RUNNING_LOCAL_BACKENDS,
          max_running_tasks_per_owner: deps.routing.MAX_RUNNING_TASKS_PER_OWNER,
          standard_priority_aging_sec: deps.routing.STANDARD_PRIORITY_AGING_SEC,
          flex_priority_aging_sec: deps.routing.FLEX_PRIORITY_AGING_SEC,
        },
      }),
    }),
  ];
}
