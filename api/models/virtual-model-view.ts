import type { VirtualModel as CatalogueVirtualModel } from '../../activities/catalogue';
import type { Account } from '../../store/records';
import { mayUseModel, permits } from '../auth/permissions';
import type { VirtualModel } from '../contract/models';
import { virtualDefinition } from './definition';
import { memberState, modelOfId } from './member-state';
import type { ModelDeps } from './model-deps';
import { unionOf } from './union';

/** As the account may see it: members it may not use are left out, their abilities too (D9). */
export function virtualModelView(virtual: CatalogueVirtualModel, account: Account, deps: ModelDeps): VirtualModel {
  const members = virtual.members.filter((id) => mayKnow(account, id, deps));
  const models = members.flatMap((id) => modelOfId(id, deps) ?? []);
  const definition = permits(account, 'MODEL_ROUTING_ADMIN') ? virtualDefinition(deps, virtual) : null;
  const cooldownUntil = deps.cooldowns.virtualUntil(virtual.name);
  return {
    name: virtual.name,
    strategy: virtual.strategy,
    members,
    member_states: members.map((id) => memberState(id, deps)),
    ...unionOf(models),
    enabled: virtual.enabled,
    origin: virtual.origin,
    defined_in: definition && { place: definition.place, applied_by: definition.appliedBy },
    cooldown_until: cooldownUntil > deps.now() ? cooldownUntil : null,
    created_at: virtual.createdAt,
    updated_at: virtual.updatedAt,
  };
}

/** What is not in the catalogue any more belongs to nobody; only who can mend it is told. */
function mayKnow(account: Account, id: string, deps: ModelDeps): boolean {
  const model = modelOfId(id, deps);
  return model ? mayUseModel(account, model) : permits(account, 'MODEL_ROUTING_ADMIN');
}
