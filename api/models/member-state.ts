/** Whether a member could be chosen now, by a request that asks for nothing special (D3). */
import type { CatalogueModel } from '../../activities/catalogue';
import { pluginProblem } from '../../activities/plugin-problem';
import type { VirtualModel } from '../contract/models';
import type { ModelDeps } from './model-deps';

type MemberState = VirtualModel['member_states'][number];
type Obstacle = Pick<MemberState, 'code' | 'reason' | 'until'>;

export function memberState(id: string, deps: ModelDeps): MemberState {
  const model = modelOfId(id, deps);
  const obstacle = obstacleOf(model, deps);
  return { model: id, plugin: model?.pluginId ?? null, eligible: obstacle.code === null, ...obstacle };
}

export function modelOfId(id: string, { catalogue }: Pick<ModelDeps, 'catalogue'>): CatalogueModel | undefined {
  const found = catalogue.find(id);
  return found?.id === id ? found : undefined;
}

const NONE: Obstacle = { code: null, reason: null, until: null };
const lasting = (code: string, reason: string): Obstacle => ({ code, reason, until: null });

function obstacleOf(model: CatalogueModel | undefined, { plugins, circuits, cooldowns, now }: ModelDeps): Obstacle {
  if (!model) return lasting('inactive', 'it is not in the catalogue any more.');
  if (!model.enabled) return lasting('disabled', 'it is disabled.');
  const problem = pluginProblem(plugins.get(model.pluginId), model.pluginId);
  if (problem) return lasting(problem.code, problem.sentence);
  const circuit = circuits.view(model.pluginId);
  if (circuit.state === 'open') {
    const reason = `the circuit of its plugin '${model.pluginId}' is open.`;
    return { code: 'circuit_open', reason, until: circuit.retryAt };
  }
  if (circuit.state === 'half_open' && circuit.probing) {
    return lasting('circuit_probing', `its plugin '${model.pluginId}' is being probed after failures.`);
  }
  const until = cooldowns.memberUntil(model.id);
  return until > now() ? { code: 'cooldown', reason: 'it failed a moment ago.', until } : NONE;
}
