/**
 * From the name a client sent to where its request goes: one model, or a virtual model's members with the
 * reason for each one left out. Refuses, before anything is accepted, what nobody here can serve.
 */
import type { Circuits, CircuitView } from '../../activities/circuits';
import { circuitOpenEnding, noMemberEnding } from '../../activities/ending';
import type { Router } from '../../activities/router';
import type { VirtualRequest } from '../../activities/runs';
import type { PlanEntry } from '../../store/records';
import type { Operation } from '../../workflows/contract';
import { explain } from '../../workflows/rules/routing/explain';
import { readRequirements } from '../../workflows/rules/routing/requirements';
import { AppError } from '../errors/app-error';
import { fromTaskFailure } from '../errors/render';
import { resolveModel, type ModelSources } from './resolve-model';

export interface RoutingSources extends ModelSources {
  readonly circuits: Circuits;
  readonly router: Router;
}

export interface RoutingQuestion {
  readonly taskId: string;
  /** As the client sent it. */
  readonly model: string;
  readonly operation: Operation;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accountId: string;
  readonly background: boolean;
}

export interface RoutedRequest {
  /** The name that answers carry (D5). */
  readonly model: string;
  readonly plan: readonly PlanEntry[];
  readonly virtual: VirtualRequest | null;
}

export function routeRequest(question: RoutingQuestion, sources: RoutingSources): RoutedRequest {
  const virtual = sources.catalogue.virtual(question.model);
  return virtual ? routeVirtual(virtual, question, sources) : routePlain(question, sources);
}

function routeVirtual(
  { name, members, enabled }: { readonly name: string; readonly members: readonly string[]; readonly enabled: boolean },
  { taskId, operation, body, accountId }: RoutingQuestion,
  { router }: RoutingSources,
): RoutedRequest {
  if (!enabled) {
    throw new AppError('model_not_found', { param: 'model', message: `The virtual model '${name}' is disabled.` });
  }
  const requirements = readRequirements(operation, body);
  const route = router.route({ virtualModel: name, members, accountId, requirements });
  if (route.kind === 'none') throw fromTaskFailure(noMemberEnding(explain(name, route.plan)).failure);
  if (route.kind === 'targets') router.bind(taskId, name, route.first);
  return { model: name, plan: route.plan, virtual: { members, requirements } };
}

function routePlain({ model: name, operation, background }: RoutingQuestion, sources: RoutingSources): RoutedRequest {
  const model = resolveModel(sources.catalogue, sources.plugins, name, operation);
  const view = sources.circuits.view(model.pluginId);
  // K: a background request is accepted and parked.
  if (!background && isShut(view)) {
    const remainingMs = (view.retryAt ?? 0) - Date.now();
    throw fromTaskFailure(circuitOpenEnding(model.pluginId, remainingMs).failure);
  }
  return { model: name, plan: [{ modelId: model.id, pluginId: model.pluginId, dropped: null }], virtual: null };
}

function isShut({ state, probing }: CircuitView): boolean {
  return state === 'open' || (state === 'half_open' && probing);
}
