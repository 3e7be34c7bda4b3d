/** GET /v1/models and /v1/models/{id} (contract 6), with what a model can do as extra fields SDKs ignore. */
import type { Catalogue, CatalogueModel, VirtualModel } from '../../activities/catalogue';
import type { PluginHost } from '../../activities/plugin-host';
import { standingProblem } from '../../activities/plugin-problem';
import type { Account } from '../../store/records';
import { mayUseModel } from '../auth/permissions';
import { AppError } from '../errors/app-error';
import { unionOf } from '../models/union';

export interface OpenAiModel {
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly owned_by: string;
  readonly capabilities: readonly string[];
  readonly modalities: readonly string[];
  readonly context_tokens: number | null;
  /** True: a virtual model; what it can do is what at least one member can (D5). */
  readonly virtual: boolean;
}

type Plugins = Pick<PluginHost, 'get'>;

/** What a virtual model is said to be owned by: its members have owners of their own. */
const OWNER_OF_VIRTUAL = 'soai';

/** Those a request could be sent to now; disabled ones and those of unusable plugins are left out. */
export function listModels(
  catalogue: Catalogue,
  plugins: Plugins,
  account: Account,
): { object: 'list'; data: OpenAiModel[] } {
  const models = catalogue.all().filter((model) => isUsable(model, plugins, account));
  const virtuals = catalogue.virtuals().flatMap((virtual) => presentVirtual(virtual, catalogue, account) ?? []);
  return { object: 'list', data: [...models.map(present), ...virtuals] };
}

/** By id or alias, or by the name of a virtual model. */
export function getModel(catalogue: Catalogue, plugins: Plugins, account: Account, name: string): OpenAiModel {
  const model = catalogue.find(name);
  if (model && isUsable(model, plugins, account)) return present(model);
  const virtual = model ? undefined : catalogue.virtual(name);
  const presented = virtual && presentVirtual(virtual, catalogue, account);
  if (!presented) throw new AppError('model_not_found', { param: 'model' });
  return presented;
}

function isUsable(model: CatalogueModel, plugins: Plugins, account: Account): boolean {
  if (!model.enabled || !mayUseModel(account, model)) return false;
  return standingProblem(plugins.get(model.pluginId), model.pluginId) === null;
}

function present(model: CatalogueModel): OpenAiModel {
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.createdAt / 1_000),
    owned_by: model.pluginId,
    capabilities: model.capabilities,
    modalities: model.modalities,
    context_tokens: model.contextTokens,
    virtual: false,
  };
}

/** Null for one that is disabled, or of whose members the account may use none. */
function presentVirtual(virtual: VirtualModel, catalogue: Catalogue, account: Account): OpenAiModel | null {
  const members = virtual.members.flatMap((id) => {
    const member = catalogue.find(id);
    return member?.id === id && mayUseModel(account, member) ? [member] : [];
  });
  if (!virtual.enabled || members.length === 0) return null;
  return {
    id: virtual.name,
    object: 'model',
    created: Math.floor(virtual.createdAt / 1_000),
    owned_by: OWNER_OF_VIRTUAL,
    ...unionOf(members),
    virtual: true,
  };
}
