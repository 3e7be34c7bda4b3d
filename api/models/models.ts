/** Adding, changing and removing models at run time (spec J, D2). */
import type { CatalogueModel } from '../../activities/catalogue';
import type { ModelRow } from '../../store/records';
import { hasEnoughMembers } from '../../workflows/rules/virtual-model';
import type { ChangeModel, CreateModel, ModelRemoval } from '../contract/models';
import { AppError } from '../errors/app-error';
import { modelDefinition, refuseIfDefined } from './definition';
import { modelOfId } from './member-state';
import type { ModelDeps } from './model-deps';
import { orNameTaken, refuseTakenNames } from './names';
import { rowOf } from './virtual-models';

export class Models {
  constructor(private readonly deps: ModelDeps) {}

  /** By id or alias. */
  known(name: string | undefined): CatalogueModel {
    const found = name === undefined ? undefined : this.deps.catalogue.find(name);
    if (!found) throw new AppError('model_not_found');
    return found;
  }

  async add(body: CreateModel, by: string): Promise<CatalogueModel> {
    const { catalogue, store, plugins, log, now } = this.deps;
    if (!plugins.get(body.plugin)) {
      throw new AppError('plugin_not_found', { param: 'plugin', message: `There is no plugin '${body.plugin}'.` });
    }
    const row: ModelRow = {
      id: body.id,
      pluginId: body.plugin,
      upstreamModel: body.upstream_model ?? body.id,
      aliases: body.aliases,
      capabilities: body.capabilities,
      modalities: body.modalities,
      contextTokens: body.context_tokens,
      enabled: body.enabled,
      createdAt: now(),
    };
    refuseTakenNames(catalogue, [row.id], null);
    refuseRepeatedAliases(row);
    refuseTakenNames(catalogue, row.aliases, null);
    await orNameTaken(store.addModel(row));
    log.info({ model: row.id, plugin: row.pluginId, by }, 'model added');
    return this.refreshed(row.id);
  }

  async change(name: string | undefined, change: ChangeModel, by: string): Promise<CatalogueModel> {
    const { catalogue, store, log } = this.deps;
    const { origin: _, ...model } = this.changeable(name);
    const row: ModelRow = {
      ...model,
      upstreamModel: change.upstream_model ?? model.upstreamModel,
      aliases: change.aliases ?? model.aliases,
      capabilities: change.capabilities ?? model.capabilities,
      modalities: change.modalities ?? model.modalities,
      contextTokens: change.context_tokens === undefined ? model.contextTokens : change.context_tokens,
      enabled: change.enabled ?? model.enabled,
    };
    refuseRepeatedAliases(row);
    refuseTakenNames(catalogue, row.aliases, { kind: 'model', of: row.id });
    if (!(await orNameTaken(store.changeModel(row)))) throw new AppError('model_not_found');
    log.info({ model: row.id, changed: Object.keys(change), by }, 'model changed');
    return this.refreshed(row.id);
  }

  /** What removing it means for the virtual models that have it. */
  removal(name: string | undefined): Omit<ModelRemoval, 'dry_run'> {
    const { id } = this.changeable(name);
    const users = this.deps.catalogue.virtuals().filter(({ members }) => members.includes(id));
    const own = users.filter(({ origin }) => origin === 'api');
    const survives = (members: readonly string[]): boolean => hasEnoughMembers(members.filter((each) => each !== id));
    return {
      removed: id,
      taken_out_of: own.filter(({ members }) => survives(members)).map((each) => each.name),
      disabled: own.filter(({ members }) => !survives(members)).map((each) => each.name),
      still_named_by: users.filter(({ origin }) => origin === 'config').map((each) => each.name),
    };
  }

  /** In one transaction with the changes to the virtual models that have it. */
  async remove(name: string | undefined, force: boolean, by: string): Promise<Omit<ModelRemoval, 'dry_run'>> {
    const removal = this.removal(name);
    const users = [...removal.taken_out_of, ...removal.disabled, ...removal.still_named_by];
    if (users.length > 0 && !force) {
      const names = users.map((each) => `'${each}'`).join(', ');
      throw new AppError('model_in_use', {
        message: `The model '${removal.removed}' is a member of ${names}. ${consequence(removal)}`,
        faults: users.map((each) => ({ subject: each, code: 'has_member', message: `'${each}' has it as a member.` })),
      });
    }
    const { catalogue, store, log, now } = this.deps;
    const changed = catalogue
      .virtuals()
      .filter(({ origin, members }) => origin === 'api' && members.includes(removal.removed))
      .map((virtual) => ({
        ...rowOf(virtual),
        members: virtual.members.filter((id) => id !== removal.removed),
        enabled: virtual.enabled && !removal.disabled.includes(virtual.name),
        updatedAt: now(),
      }));
    if (!(await store.removeModel(removal.removed, changed))) throw new AppError('model_not_found');
    await catalogue.refresh();
    log.info({ ...removal, by }, 'model removed');
    return removal;
  }

  private changeable(name: string | undefined): CatalogueModel {
    const model = this.known(name);
    refuseIfDefined(`model '${model.id}'`, modelDefinition(this.deps, model));
    return model;
  }

  private async refreshed(id: string): Promise<CatalogueModel> {
    await this.deps.catalogue.refresh();
    const model = modelOfId(id, this.deps);
    if (!model) throw new AppError('model_not_found');
    return model;
  }
}

function refuseRepeatedAliases({ id, aliases }: ModelRow): void {
  const keys = [id, ...aliases].map((name) => name.toLowerCase());
  const repeated = aliases.find((_, index) => keys.indexOf(keys[index + 1]!) <= index);
  if (repeated === undefined) return;
  throw new AppError('invalid_value', {
    param: 'aliases',
    message: `The alias '${repeated}' is there already: as the id or as another alias, without regard to case.`,
  });
}

function consequence({ taken_out_of, disabled, still_named_by }: Omit<ModelRemoval, 'dry_run'>): string {
  const names = (list: readonly string[]): string => list.map((each) => `'${each}'`).join(', ');
  return [
    taken_out_of.length > 0 ? `Removing it takes it out of ${names(taken_out_of)}.` : '',
    disabled.length > 0 ? `It would leave too few members to ${names(disabled)}, which would be disabled.` : '',
    still_named_by.length > 0 ? `${names(still_named_by)} of the settings would go on naming it in vain.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
