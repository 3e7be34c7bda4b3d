/**
 * The guardian's eyes (spec F1): one long activity a plugin that looks again and again and returns only
 * when it found something new, so that a plugin that is well costs the engine nothing.
 */
import { Context } from '@temporalio/activity';
import type { WatchFinding, WatchInput } from '../../workflows/contract';
import { look, untilNextCheck } from '../../workflows/rules/guardian-check';
import type { Ailment } from '../../workflows/rules/guardian';
import { WATCH_HEARTBEAT_TIMEOUT_MS, WATCH_MS } from '../../workflows/rules/watch-limits';
import { BackendAges } from './backend-ages';
import type { GuardedPlugin, GuardedPlugins } from './guarded-plugins';
import { ping } from './ping';

export interface WatchDeps {
  readonly plugins: GuardedPlugins;
  /** A ping that told nothing new. */
  readonly pinged: (pluginId: string, at: number) => void;
  /** What was found, for a person: history holds codes only. */
  readonly describe: (pluginId: string, sentence: string) => void;
  readonly now: () => number;
  readonly random: () => number;
}

export class GuardianWatch {
  private readonly ages = new BackendAges();

  constructor(private readonly deps: WatchDeps) {}

  async watch(input: WatchInput): Promise<WatchFinding> {
    const context = Context.current();
    const beating = setInterval(() => context.heartbeat(), WATCH_HEARTBEAT_TIMEOUT_MS / 3);
    try {
      const until = this.deps.now() + WATCH_MS;
      while (this.deps.now() < until) {
        await context.sleep(untilNextCheck(input.watch.intervalMs, this.deps.random()));
        const plugin = this.deps.plugins.get(input.pluginId);
        if (!plugin) return { kind: 'gone' };
        const finding = await this.check(plugin, input, context.cancellationSignal);
        if (finding) return finding;
      }
      return { kind: 'unchanged' };
    } finally {
      clearInterval(beating);
    }
  }

  /** One look; null: nothing new. */
  private async check(plugin: GuardedPlugin, input: WatchInput, signal: AbortSignal): Promise<WatchFinding | null> {
    const { id, adapter, local } = plugin;
    // Told to the workflow as a quarantine, which ends this watch.
    if (!(await this.deps.plugins.checkFiles(id))) return null;
    if (plugin.idle || !adapter) return null;
    const now = this.deps.now();
    const { state, detail } = adapter.backend;
    const decision = look(
      {
        backend: local ? state : null,
        backendSince: this.ages.since(id, state, now),
        progressAt: this.deps.plugins.progressOf(id),
      },
      input.watch,
      now,
    );
    if (decision.kind === 'leave') return null;
    if (decision.kind === 'ailing')
      return this.found(id, decision.ailment, detail ?? sentenceOf(decision.ailment, state));
    const problem = await ping(adapter, input.watch.pingTimeoutMs, signal);
    // Work that came meanwhile makes a slow answer no symptom.
    if (problem !== null && this.deps.plugins.progressOf(id).length > 0) return null;
    if (problem !== null) return this.found(id, 'ping_failed', problem);
    const at = this.deps.now();
    this.deps.pinged(id, at);
    return input.wasHealthy ? null : { kind: 'healthy', at };
  }

  private found(pluginId: string, ailment: Ailment, sentence: string): WatchFinding {
    this.deps.describe(pluginId, sentence);
    return { kind: 'unhealthy', at: this.deps.now(), ailment };
  }
}

function sentenceOf(ailment: Ailment, state: string): string {
  switch (ailment) {
    case 'stuck_transition':
      return `its backend has been ${state} for too long`;
    case 'work_stalled':
      return 'its running work gave no sign of life for longer than any call may take';
    case 'backend_error':
      return 'its backend ended or could not be started';
    case 'ping_failed':
      return 'it did not answer a ping';
  }
}
