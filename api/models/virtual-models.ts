/** Creating, changing and deleting virtual models at run time (D1, D2, D8). */
import type { VirtualModel } from '../../activities/catalogue';
import type { VirtualModelRow } from '../../store/records';
import { hasEnoughMembers, judgeMembers, type MemberFault, type NamedModel } from '../../workflows/rules/virtual-model';
import type { ChangeVirtualModel, CreateVirtualModel } from '../contract/models';
import { AppError } from '../errors/app-error';
import { refuseIfDefined, virtualDefinition } from './definition';
import type { ModelDeps } from './model-deps';
import { orNameTaken, refuseTakenNames } from './names';

export class VirtualModels {
  constructor(private readonly deps: ModelDeps) {}

  /** Without regard to case. */
  known(name: string | undefined): VirtualModel {
    const found = name === undefined ? undefined : this.deps.catalogue.virtual(name);
    if (!found) throw new AppError('virtual_model_not_found');
    return found;
  }

  async create({ name, strategy, members, enabled }: CreateVirtualModel, by: string): Promise<VirtualModel> {
    const { catalogue, store, log, now } = this.deps;
    refuseTakenNames(catalogue, [name], null);
    this.refuseMembers(members);
    const at = now();
    const row: VirtualModelRow = { name, strategy, members, enabled, createdAt: at, updatedAt: at };
    await orNameTaken(store.addVirtualModel(row));
    log.info({ virtualModel: name, members, by }, 'virtual model created');
    return this.refreshed(name);
  }

  async change(name: string | undefined, change: ChangeVirtualModel, by: string): Promise<VirtualModel> {
    const virtual = this.changeable(name);
    if (change.name !== undefined && change.name !== virtual.name) {
      throw new AppError('invalid_value', {
        param: 'name',
        message: `A virtual model's name is fixed. Create '${change.name}' and delete '${virtual.name}' instead.`,
      });
    }
    const { strategy = virtual.strategy, members = virtual.members, enabled = virtual.enabled } = change;
    if (change.strategy !== undefined || change.members !== undefined) this.refuseMembers(members);
    if (enabled && !hasEnoughMembers(members)) this.refuseMembers(members);
    await this.write({ ...rowOf(virtual), strategy, members, enabled, updatedAt: this.deps.now() });
    this.deps.log.info({ virtualModel: virtual.name, members, enabled, by }, 'virtual model changed');
    return this.refreshed(virtual.name);
  }

  async remove(name: string | undefined, by: string): Promise<void> {
    const virtual = this.changeable(name);
    if (!(await this.deps.store.removeVirtualModel(virtual.name))) throw new AppError('virtual_model_not_found');
    await this.deps.catalogue.refresh();
    this.deps.log.info({ virtualModel: virtual.name, by }, 'virtual model deleted');
  }

  /** @throws AppError when there is none, or the settings define it */
  changeable(name: string | undefined): VirtualModel {
    const virtual = this.known(name);
    refuseIfDefined(`virtual model '${virtual.name}'`, virtualDefinition(this.deps, virtual));
    return virtual;
  }

  private async write(row: VirtualModelRow): Promise<void> {
    if (!(await this.deps.store.changeVirtualModel(row))) throw new AppError('virtual_model_not_found');
  }

  private async refreshed(name: string): Promise<VirtualModel> {
    await this.deps.catalogue.refresh();
    return this.known(name);
  }

  private refuseMembers(members: readonly string[]): void {
    const faults = judgeMembers(members, (name) => this.named(name));
    if (faults.length === 0) return;
    throw new AppError('members_rejected', {
      param: 'members',
      message: faults.map(sentence).join(' '),
      faults: faults.map((fault) => ({ subject: fault.member, code: fault.code, message: sentence(fault) })),
    });
  }

  private named(name: string): NamedModel | undefined {
    const { catalogue, plugins } = this.deps;
    const model = catalogue.find(name);
    if (!model) return catalogue.virtual(name) && { kind: 'virtual' };
    if (model.id !== name) return { kind: 'alias', of: model.id };
    const plugin = plugins.get(model.pluginId);
    return {
      kind: 'model',
      enabled: model.enabled,
      plugin: plugin
        ? {
            id: plugin.id,
            enabled: plugin.enabled,
            incompatible: plugin.incompatible,
            inError: plugin.adapter?.backend.state === 'error',
          }
        : null,
    };
  }
}

export function rowOf({ name, strategy, members, enabled, createdAt, updatedAt }: VirtualModel): VirtualModelRow {
  return { name, strategy, members, enabled, createdAt, updatedAt };
}

function sentence({ member, reason }: MemberFault): string {
  return member === null ? `A virtual model ${reason}` : `'${member}' ${reason}`;
}
