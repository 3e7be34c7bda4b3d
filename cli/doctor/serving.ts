/** Checks of the plugins and models: as they stand on a running server, as configured without one. */
import type { List, Plugin } from '../../api/contract/management';
import type { Model } from '../../api/contract/models';
import type { Settings } from '../../config/schema';
import type { ApiClient } from '../api-client';
import { fail, pass, skip, warn, type Finding } from './finding';

export async function checkPlugins(client: ApiClient | null, { PLUGINS }: Settings): Promise<Finding[]> {
  if (client === null) {
    const names = PLUGINS.map(({ ID }) => ID).join(', ');
    return [skip('plugins', `not asked without a server; configured: ${names || 'none'}`)];
  }
  const { data } = await client.get<List<Plugin>>('/api/v1/plugins');
  if (data.length === 0) return [warn('plugins', 'There is none.', 'Add one under PLUGINS in the settings.')];
  return data.map(checkPlugin);
}

function checkPlugin(plugin: Plugin): Finding {
  const check = `plugin ${plugin.id}`;
  const { compatibility, backend, quarantine, circuit } = plugin;
  const reason = (text: string | null) => (text === null ? '' : `: ${text}`);
  const look = `soai plugin show ${plugin.id}`;
  if (!plugin.enabled) return skip(check, 'disabled');
  if (compatibility.state === 'incompatible') {
    return fail(check, `incompatible${reason(compatibility.reason)}`, 'Install a version of it that fits this SoAI.');
  }
  if (quarantine.state !== 'none') {
    return fail(check, `${quarantine.state}${reason(quarantine.reason)}`, `Mend its cause, then clear it. See ${look}`);
  }
  if (backend.state === 'error') return fail(check, `backend error${reason(backend.reason)}`, `See ${look}`);
  if (circuit.state !== 'closed') {
    return warn(
      check,
      `circuit ${circuit.state} after ${circuit.failure_count} failures`,
      `Mend its cause. See ${look}`,
    );
  }
  return pass(check, `backend ${backend.state}, worker ${plugin.worker.state}`);
}

export async function checkModels(client: ApiClient | null, { MODELS }: Settings): Promise<Finding> {
  if (client === null) return skip('models', `not asked without a server; configured: ${MODELS.CATALOG.length}`);
  const { data } = await client.get<List<Model>>('/api/v1/models');
  const available = data.filter((model) => model.available).length;
  const detail = `${available} of ${data.length} available`;
  if (available > 0) return pass('models', detail);
  if (data.length > 0) return fail('models', detail, 'soai model list says why.');
  return warn('models', 'There is none.', 'Add one under MODELS.CATALOG in the settings.');
}
