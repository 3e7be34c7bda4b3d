/**
 * Where requests to virtual models go: what `workflows/rules/routing/` decides, with what this process
 * knows of models, plugins, circuits and load. Keeps the windows after failures (D6, D7), whose turn it is
 * (D4) and which request is bound to which member, all in memory: they are about the next seconds.
 */
import type { Target } from '../workflows/contract';
import { dropReason } from '../workflows/rules/routing/eligibility';
import type { Member } from '../workflows/rules/routing/member';
import type { Requirements } from '../workflows/rules/routing/requirements';
import { route, type Route } from '../workflows/rules/routing/route';
import { NOTHING_TRIED, type Tried } from '../workflows/rules/routing/tried';
import {
  afterFailure,
  NO_WINDOWS,
  windowEnd,
  type WindowEvent,
  type Windows,
} from '../workflows/rules/routing/windows';
import type { Catalogue, CatalogueModel } from './catalogue';
import type { Circuits, CircuitView } from './circuits';
import type { PluginHost } from './plugin-host';
import { pluginProblem } from './plugin-problem';
import type { Scheduler } from './scheduler';
import type { RouterSettings } from './timings';

/** May this account use this model directly? (D9) */
export type ModelAccess = (accountId: string, model: CatalogueModel) => boolean;

export interface RouterDeps {
  readonly catalogue: Catalogue;
  readonly plugins: PluginHost;
  readonly circuits: Circuits;
  readonly scheduler: Pick<Scheduler, 'loadOf' | 'wouldSwap'>;
  readonly mayUse: ModelAccess;
  readonly settings: RouterSettings;
  readonly now: () => number;
}

export interface RouteRequest {
  readonly virtualModel: string;
  /** Stand in for the virtual model once it is deleted. */
  readonly members: readonly string[];
  readonly accountId: string;
  readonly requirements: Requirements;
  readonly tried?: Tried;
  /** Plugins this request must not go to. */
  readonly avoided?: ReadonlySet<string>;
  /** Circuits that have just refused this request: newer than what the snapshot says. */
  readonly refused?: ReadonlyMap<string, CircuitView>;
}

const NONE: ReadonlySet<string> = new Set();
const NO_REFUSALS: ReadonlyMap<string, CircuitView> = new Map();

export class Router {
  private windows: Windows = NO_WINDOWS;
  private readonly turns = new Map<string, Map<string, number>>();
  private turn = 0;
  private readonly bound = new Map<string, string>();
  private readonly reserved = new Map<string, number>();
  private readonly listeners = new Set<(modelId: string) => void>();

  constructor(private readonly deps: RouterDeps) {}

  get triesPerMember(): number {
    return this.deps.settings.triesPerMember;
  }

  route(request: RouteRequest): Route {
    const { catalogue, settings, now } = this.deps;
    const virtual = catalogue.virtual(request.virtualModel);
    const at = now();
    return route({
      members: (virtual?.members ?? request.members).map((modelId) => this.member(modelId, request)),
      strategy: virtual?.strategy ?? 'failover',
      turns: settings.rotate ? this.turnsOf(request.virtualModel) : null,
      windowUntil: this.virtualUntil(request.virtualModel),
      requirements: request.requirements,
      tried: request.tried ?? NOTHING_TRIED,
      now: at,
    });
  }

  /** Whether this member could be tried at this moment (G17). */
  isEligible(modelId: string, request: RouteRequest): boolean {
    const { requirements, tried = NOTHING_TRIED } = request;
    return dropReason(this.member(modelId, request), { requirements, tried, now: this.deps.now() }) === null;
  }

  /** Work reserved against the member until `unbind`; its turn is taken (D4). */
  bind(taskId: string, virtualModel: string, { modelId }: Target): void {
    if (this.bound.get(taskId) === modelId) return;
    this.unbind(taskId);
    this.bound.set(taskId, modelId);
    this.reserved.set(modelId, (this.reserved.get(modelId) ?? 0) + 1);
    this.turnsOf(virtualModel).set(modelId, ++this.turn);
  }

  unbind(taskId: string): void {
    const modelId = this.bound.get(taskId);
    if (modelId === undefined) return;
    this.bound.delete(taskId);
    const left = (this.reserved.get(modelId) ?? 1) - 1;
    if (left > 0) this.reserved.set(modelId, left);
    else this.reserved.delete(modelId);
  }

  /** D6: the member is left alone for a while. */
  memberFailed(modelId: string): void {
    this.note({ kind: 'member_failed', modelId });
    for (const listener of this.listeners) listener(modelId);
  }

  /** D7: so is the virtual model as a whole. */
  requestFailed(virtualModel: string): void {
    this.note({ kind: 'request_failed', virtualModel });
  }

  /** When the member's cooldown ends, ms since the epoch; 0: none runs. */
  memberUntil(modelId: string): number {
    return windowEnd(this.windows.members, modelId, this.deps.now());
  }

  /** When the virtual model's own window ends; 0: none runs. */
  virtualUntil(virtualModel: string): number {
    return windowEnd(this.windows.virtualModels, virtualModel, this.deps.now());
  }

  /** Told of each member that has got a cooldown. */
  onCooldown(listener: (modelId: string) => void): void {
    this.listeners.add(listener);
  }

  private note(event: WindowEvent): void {
    this.windows = afterFailure(this.windows, event, this.deps.settings.windowMs, this.deps.now());
  }

  private turnsOf(virtualModel: string): Map<string, number> {
    const turns = this.turns.get(virtualModel) ?? new Map<string, number>();
    this.turns.set(virtualModel, turns);
    return turns;
  }

  private member(modelId: string, { accountId, avoided = NONE, refused = NO_REFUSALS }: RouteRequest): Member {
    const { catalogue, plugins, circuits, scheduler, mayUse } = this.deps;
    const model = catalogue.find(modelId);
    if (!model) return gone(modelId);
    const { pluginId } = model;
    const refusal = refused.get(pluginId);
    const circuit = refusal ?? circuits.view(pluginId);
    const load = scheduler.loadOf(pluginId);
    return {
      modelId,
      pluginId,
      active: true,
      enabled: model.enabled,
      capabilities: model.capabilities,
      modalities: model.modalities,
      contextTokens: model.contextTokens,
      pluginProblem: avoided.has(pluginId) ? 'plugin_recovery' : problemOf(plugins, pluginId),
      circuit: circuit.state,
      // Refused while half-open means that somebody else has the token.
      probing: circuit.probing || refusal !== undefined,
      cooldownUntil: this.memberUntil(modelId),
      permitted: mayUse(accountId, model),
      onThisNode: true,
      reserved: this.reserved.get(modelId) ?? 0,
      pluginLoad: load.running + load.waiting,
      swap: scheduler.wouldSwap({ modelId, pluginId }),
    };
  }
}

function problemOf(plugins: PluginHost, pluginId: string): string | null {
  return pluginProblem(plugins.get(pluginId), pluginId)?.code ?? null;
}

/** Nothing is known of it but that it is no longer there. */
function gone(modelId: string): Member {
  return {
    modelId,
    pluginId: '',
    active: false,
    enabled: false,
    capabilities: [],
    modalities: [],
    contextTokens: null,
    pluginProblem: null,
    circuit: 'closed',
    probing: false,
    cooldownUntil: 0,
    permitted: true,
    onThisNode: true,
    reserved: 0,
    pluginLoad: 0,
    swap: false,
  };
}
