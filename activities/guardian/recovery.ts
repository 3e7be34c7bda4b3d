/** The guardian's hands (spec F3, F4): recover a plugin, or give it up. */
import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { ControlActivities, RecoveryInput } from '../../workflows/contract';
import { WATCH_HEARTBEAT_TIMEOUT_MS } from '../../workflows/rules/watch-limits';
import type { GuardedPlugin, GuardedPlugins } from './guarded-plugins';
import { ping } from './ping';

export interface RecoveryDeps {
  readonly plugins: GuardedPlugins;
  readonly trip: (pluginId: string, cause: string) => Promise<void>;
  readonly quarantine: (pluginId: string, reason: string, at: number) => Promise<void>;
  /** What the watch last found, for a person; null: nothing in this process. */
  readonly description: (pluginId: string) => string | null;
  readonly describe: (pluginId: string, sentence: string) => void;
  readonly pinged: (pluginId: string, at: number) => void;
  readonly now: () => number;
  readonly log: Logger;
}

type Escalation = Parameters<ControlActivities['quarantinePlugin']>[0];

export class GuardianRecovery {
  constructor(private readonly deps: RecoveryDeps) {}

  async recover({ pluginId, attempt, ailment, pingTimeoutMs }: RecoveryInput): Promise<{ healthyAt: number | null }> {
    const { plugins, log, now, describe, pinged } = this.deps;
    const plugin = plugins.get(pluginId);
    // Switched off or quarantined while the recovery waited: nobody wants it up.
    if (!plugin?.adapter || plugin.idle || plugin.quarantine.state !== 'none') return { healthyAt: null };
    const context = Context.current();
    const beating = setInterval(() => context.heartbeat(), WATCH_HEARTBEAT_TIMEOUT_MS / 3);
    try {
      const purged = await plugins.purge(pluginId);
      log.warn({ plugin: pluginId, attempt, ailment, purged }, 'recovering a plugin');
      if (plugin.local) await this.restart(plugin);
      const problem = await ping(plugin.adapter, pingTimeoutMs, context.cancellationSignal);
      // A backend that starts on demand and is not up has not shown that it is well.
      const up = !plugin.local || plugin.adapter.backend.state === 'running';
      if (problem !== null) describe(pluginId, problem);
      if (problem !== null || !up) return { healthyAt: null };
      pinged(pluginId, now());
      return { healthyAt: now() };
    } catch (error) {
      describe(pluginId, error instanceof Error ? error.message : String(error));
      return { healthyAt: null };
    } finally {
      clearInterval(beating);
    }
  }

  async quarantine({ pluginId, attempts, ailment }: Escalation): Promise<void> {
    const { plugins, trip, quarantine, description, now, log } = this.deps;
    const plugin = plugins.get(pluginId);
    const why = description(pluginId) ?? ailment.replaceAll('_', ' ');
    const reason = `${attempts} recoveries in a row did not help: ${why}`;
    await quarantine(pluginId, reason, now());
    await trip(pluginId, 'recovery_exhausted');
    const purged = await plugins.purge(pluginId);
    if (plugin?.local) await plugin.adapter?.stop();
    log.error({ plugin: pluginId, attempts, ailment, purged }, 'a plugin was quarantined');
  }

  /** Memory may have room for one local backend only, so one that another has taken the place of just stops. */
  private async restart({ id, adapter }: GuardedPlugin): Promise<void> {
    await adapter!.stop();
    const others = this.deps.plugins.all().filter((other) => other.local && other.id !== id);
    const taken = others.some(({ adapter: other }) => other !== null && other.backend.state !== 'stopped');
    if (!taken) await adapter!.start();
  }
}
