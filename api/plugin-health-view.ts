/** What circuits and guardian say of a plugin, as the management API shows it (spec F5). */
import type { Runtime } from '../activities/runtime';
import type { Plugin } from './contract/management';

type PluginHealthView = Pick<Plugin, 'circuit' | 'flapping' | 'recovery_attempts' | 'last_ping_at'>;

export function pluginHealthView({ health }: Pick<Runtime, 'health'>, pluginId: string): PluginHealthView {
  const circuit = health.circuits.view(pluginId);
  const guardian = health.states.guardianOf(pluginId);
  return {
    circuit: {
      state: circuit.state,
      failure_count: circuit.failureCount,
      last_failure_at: circuit.lastFailureAt,
      retry_at: circuit.retryAt,
    },
    flapping: guardian.flapping,
    recovery_attempts: guardian.recoveryAttempts,
    last_ping_at: guardian.lastPingAt,
  };
}
