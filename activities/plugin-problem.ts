/** Why a plugin can't take requests, one code each (spec D1, D3, F5). */
import type { HostedPlugin } from './hosted-plugin';

export interface PluginProblem {
  readonly code:
    | 'plugin_missing'
    | 'plugin_disabled'
    | 'plugin_incompatible'
    | 'plugin_quarantined'
    | 'plugin_draining'
    /** Its backend ended or could not start. */
    | 'plugin_error';
  /** Reads after "can't be reached: ". */
  readonly sentence: string;
}

/** The first that holds, in the order above; null when it can take requests. `id` is for a plugin that is gone. */
export function pluginProblem(plugin: HostedPlugin | undefined, id: string): PluginProblem | null {
  if (!plugin) return problem('plugin_missing', `its plugin '${id}' is not installed.`);
  if (!plugin.enabled) return problem('plugin_disabled', `its plugin '${id}' is disabled.`);
  if (plugin.incompatible !== null) return problem('plugin_incompatible', `its plugin '${id}' is incompatible.`);
  const { state, reason } = plugin.quarantine;
  if (state !== 'none') {
    const why = reason === null ? '' : `: ${reason.replace(/\.$/, '')}`;
    return problem('plugin_quarantined', `its plugin '${id}' is quarantined${why}.`);
  }
  if (plugin.draining) return problem('plugin_draining', `its plugin '${id}' is being drained and takes no new work.`);
  if (plugin.adapter?.backend.state === 'error') {
    return problem('plugin_error', `the backend of its plugin '${id}' is not running.`);
  }
  return null;
}

/** The same, but for what a call could mend: one to a backend that is down starts it again. */
export function standingProblem(plugin: HostedPlugin | undefined, id: string): PluginProblem | null {
  const found = pluginProblem(plugin, id);
  return found?.code === 'plugin_error' ? null : found;
}

function problem(code: PluginProblem['code'], sentence: string): PluginProblem {
  return { code, sentence };
}
