/**
 * Circuits, guardians and quarantines of this process's plugins, put together (spec E, F). What the
 * rest of the process asks about a plugin's health, it asks here.
 */
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { RoutingSettings } from '../config/schema';
import type { PluginStateRow } from '../store/records';
import type { Store } from '../store/store';
import type { ControlActivities, GuardianCommand } from '../workflows/contract';
import type { GuardianState } from '../workflows/rules/guardian';
import { breakerSettings, guardianSettings, watchSettings } from './entities/breaker-settings';
import { controlWorkers } from './entities/control-workers';
import { Entities } from './entities/entities';
import { Publishing, journalOfRow, storedCircuit } from './entities/publishing';
import type { Engine } from './engine';
import type { GuardedPlugins } from './guardian/guarded-plugins';
import { GuardianRecovery } from './guardian/recovery';
import { GuardianWatch } from './guardian/watch';
import { LiveCircuits } from './live-circuits';
import { pause } from './pause';
import { NOT_QUARANTINED, type Quarantine } from './hosted-plugin';
import { PluginStates } from './plugin-states';
import { seconds } from './timings';

export interface PluginHealthOptions {
  readonly routing: RoutingSettings;
  readonly store: Store;
  readonly plugins: GuardedPlugins;
  readonly client: () => Client | null;
  readonly engine: Pick<Engine, 'onChange'>;
  readonly incarnation: string;
  readonly bundlePath: string;
  readonly log: Logger;
}

/** How soon this process sees what others wrote; the spec asks for a second (E). */
const FOLLOW_MS = 500;
const ENSURE_AGAIN_MS = 500;
/** An engine that comes up may have lost its state, and its first moments may still refuse. */
const ENSURE_TRIES = 10;
/** One that loses it without a sign is looked at this often. */
const ENSURE_EVERY_MS = 60_000;
const TELL_AGAIN_MS = 5_000;

export class PluginHealth {
  readonly circuits: LiveCircuits;
  readonly states: PluginStates;
  private readonly entities: Entities;
  private readonly descriptions = new Map<string, string>();
  /** What guardians could not be told while the engine was away; the last word counts. */
  private readonly untold = new Map<string, GuardianCommand>();
  private readonly activities: ControlActivities;
  /** Quarantines that the guardians know of, by plugin. */
  private readonly quarantined = new Map<string, Quarantine['state']>();
  /** What an earlier process left running starts anew, once, when no other process lives (E4). */
  private startsAnew = false;
  private ensured = false;
  private ensuring = false;
  private stopped = false;
  /** Workflows of removed plugins on their way out; one that is made again waits for that. */
  private readonly forgetting = new Map<string, Promise<void>>();
  private repeating: readonly NodeJS.Timeout[] = [];

  constructor(private readonly options: PluginHealthOptions) {
    const { routing, store, plugins, client, incarnation, log } = options;
    const breaker = breakerSettings(routing);
    const now = Date.now;
    this.states = new PluginStates(store.pluginStates, log);
    this.circuits = new LiveCircuits({
      settings: breaker,
      source: incarnation,
      send: (pluginId, events) =>
        this.ensured ? this.entities.report(pluginId, events) : Promise.reject(new Error('not started yet')),
      // The workflow logs it too, with an event, once it can be told.
      onOpenAlone: (pluginId, { failureCount }) =>
        log.warn(
          { plugin: pluginId, failures: failureCount },
          'the circuit of a plugin is open by the word of this process alone',
        ),
    });
    this.entities = new Entities({
      client,
      settings: {
        breaker,
        guardian: guardianSettings(routing),
        watch: watchSettings(routing),
        persistMs: seconds(routing.HEALTH_CHECKS.PERSIST_SEC),
      },
      incarnation,
      host: hostname(),
      plugins: () => plugins.all(),
      journalOf: (pluginId) => this.circuits.journalOf(pluginId),
      guardianStateOf: (pluginId) => this.guardianStateOf(pluginId),
      log,
    });
    const describe = (pluginId: string, sentence: string): void => void this.descriptions.set(pluginId, sentence);
    const pinged = (pluginId: string, at: number): void => this.states.pinged(pluginId, at);
    const publishing = new Publishing({
      store,
      circuits: this.circuits,
      states: this.states,
      settings: breaker,
      log,
      now,
    });
    const watch = new GuardianWatch({ plugins, pinged, describe, now, random: Math.random });
    const recovery = new GuardianRecovery({
      plugins,
      trip: (pluginId, cause) => this.circuits.trip(pluginId, cause),
      quarantine: (pluginId, reason, at) =>
        this.putQuarantine(pluginId, { state: 'quarantined', reason, since: at }, at),
      description: (pluginId) => this.descriptions.get(pluginId) ?? null,
      describe,
      pinged,
      now,
      log,
    });
    this.activities = {
      publishCircuit: (publication) => publishing.circuit(publication),
      publishGuardian: (publication) => publishing.guardian(publication),
      watchPlugin: (input) => watch.watch(input),
      recoverPlugin: (input) => recovery.recover(input),
      quarantinePlugin: (input) => recovery.quarantine(input),
    };
  }

  /** Before anything is routed. `alone`: no other process lives. */
  async start(alone: boolean): Promise<void> {
    const { store, routing, plugins, log } = this.options;
    this.startsAnew = alone;
    for (const { id, quarantine } of plugins.all()) this.quarantined.set(id, quarantine.state);
    if (alone) {
      const at = Date.now();
      for (const { pluginId, from } of await store.pluginStates.resetCircuits(at)) {
        log.info({ plugin: pluginId, from }, 'the circuit of a plugin was closed by this start');
        await store.lifecycle.append('circuit_closed', { plugin: pluginId, from, cause: 'startup' }, at);
      }
    }
    this.states.onChange((row) => this.adoptRow(row));
    plugins.onChange((pluginId) => void this.pluginChanged(pluginId));
    plugins.onRemoved((pluginId) => this.pluginRemoved(pluginId));
    await this.states.load();
    if (store.kind === 'postgres') this.states.follow(FOLLOW_MS);
    this.repeating = [
      setInterval(() => void this.writeUnconfirmed(), seconds(routing.HEALTH_CHECKS.PERSIST_SEC)),
      setInterval(() => void this.tellTheUntold(), TELL_AGAIN_MS),
      setInterval(() => void this.ensureAgain(), ENSURE_EVERY_MS),
    ];
    for (const timer of this.repeating) timer.unref();
    this.options.engine.onChange((state) => {
      if (state === 'up') void this.ensureAgain();
    });
  }

  /** The workers of breakers and guardians, once their workflows are there. */
  readonly workers = async (connection: NativeConnection, namespace: string): Promise<readonly Worker[]> => {
    const { bundlePath, incarnation } = this.options;
    for (;;) {
      if (this.stopped) return [];
      // Before any worker polls: what an earlier process left behind must not go on for a moment.
      if (await this.entities.ensureAll(this.startsAnew ? 'TERMINATE_EXISTING' : 'USE_EXISTING')) break;
      await pause(ENSURE_AGAIN_MS);
    }
    this.startsAnew = false;
    this.ensured = true;
    this.circuits.flush();
    void this.tellTheUntold();
    const { activities } = this;
    return controlWorkers({ bundlePath, activities, incarnation, host: hostname() }, connection, namespace);
  };

  /** E5: closes the circuit and clears the count of recoveries; nothing else. */
  async resetCircuit(pluginId: string): Promise<void> {
    const at = Date.now();
    await this.circuits.reset(pluginId, 'operator');
    await this.states.putGuardian(pluginId, { ...this.states.guardianOf(pluginId), recoveryAttempts: 0 }, at);
    await this.tellGuardian(pluginId, { type: 'circuit_reset', at });
  }

  /** F6: of an ordinary quarantine. The table is the truth; the guardian is told, and told again when it starts. */
  async clearQuarantine(pluginId: string): Promise<void> {
    const at = Date.now();
    await this.putQuarantine(pluginId, NOT_QUARANTINED, at);
    await this.states.putGuardian(pluginId, { ...this.states.guardianOf(pluginId), recoveryAttempts: 0 }, at);
    await this.tellGuardian(pluginId, { type: 'quarantine_cleared', at });
  }

  stop(): void {
    this.stopped = true;
    this.circuits.stop();
    this.states.stop();
    for (const timer of this.repeating) clearInterval(timer);
  }

  /** C6: an engine that was away, whose worker never noticed, may have forgotten all workflows. Never rejects. */
  private async ensureAgain(): Promise<void> {
    if (!this.ensured || this.ensuring) return;
    this.ensuring = true;
    for (let tries = 0; tries < ENSURE_TRIES && !this.stopped; tries += 1) {
      if (await this.entities.ensureAll('USE_EXISTING')) break;
      await pause(ENSURE_AGAIN_MS);
    }
    this.ensuring = false;
  }

  private async tellTheUntold(): Promise<void> {
    for (const [pluginId, command] of [...this.untold]) await this.tellGuardian(pluginId, command);
  }

  /** Never rejects: what could not be told is told later. */
  private async tellGuardian(pluginId: string, command: GuardianCommand): Promise<void> {
    const { plugins, log } = this.options;
    const plugin = plugins.get(pluginId);
    if (!plugin) return;
    this.untold.set(pluginId, command);
    try {
      await this.entities.tellGuardian(plugin, command);
      if (this.untold.get(pluginId) === command) this.untold.delete(pluginId);
    } catch (error) {
      log.warn({ err: error, plugin: pluginId, command: command.type }, 'the guardian of a plugin could not be told');
    }
  }

  private guardianStateOf(pluginId: string): GuardianState {
    const { health, recoveryAttempts, flapping, transitions, lastPingAt } = this.states.guardianOf(pluginId);
    const quarantined = (this.options.plugins.get(pluginId)?.quarantine ?? NOT_QUARANTINED).state !== 'none';
    return { health, attempts: recoveryAttempts, flapping, transitions, lastPingAt, quarantined };
  }

  /** In the table, and for this process's requests at once. */
  private async putQuarantine(pluginId: string, quarantine: Quarantine, at: number): Promise<void> {
    // Known before the host tells of it, so that the guardian is not told of its own decision.
    this.quarantined.set(pluginId, quarantine.state);
    this.options.plugins.setQuarantine(pluginId, quarantine);
    await this.states.putQuarantine(pluginId, quarantine, at);
  }

  /** Nothing of it is left for one that is made under the same id. */
  private pluginRemoved(pluginId: string): void {
    this.quarantined.delete(pluginId);
    this.untold.delete(pluginId);
    this.descriptions.delete(pluginId);
    this.circuits.forget(pluginId);
    this.states.forget(pluginId);
    const forgotten = this.entities.forget(pluginId).finally(() => {
      if (this.forgetting.get(pluginId) === forgotten) this.forgetting.delete(pluginId);
    });
    this.forgetting.set(pluginId, forgotten);
  }

  /** Added, or quarantined by an integrity check. */
  private async pluginChanged(pluginId: string): Promise<void> {
    const plugin = this.options.plugins.get(pluginId);
    if (!plugin) return;
    const before = this.quarantined.get(pluginId);
    const { state } = plugin.quarantine;
    this.quarantined.set(pluginId, state);
    if (before === undefined) {
      await this.forgetting.get(pluginId);
      if (this.ensured) await this.entities.ensure(plugin, 'USE_EXISTING');
    }
    if (before === undefined || before === state) return;
    await this.tellGuardian(pluginId, {
      type: state === 'none' ? 'quarantine_cleared' : 'quarantined',
      at: Date.now(),
    });
  }

  /** A state that another process published. What this one is about to report would count twice. */
  private adoptRow(row: PluginStateRow): void {
    const { plugins } = this.options;
    const quarantine = this.states.quarantineOf(row.pluginId);
    const hosted = plugins.get(row.pluginId)?.quarantine;
    if (hosted && hosted.state !== quarantine.state) {
      this.quarantined.set(row.pluginId, quarantine.state);
      plugins.setQuarantine(row.pluginId, quarantine);
    }
    const ours = this.circuits.journalOf(row.pluginId);
    if (row.circuitRevision <= ours.revision) return;
    if (this.circuits.unconfirmed().some(({ pluginId }) => pluginId === row.pluginId)) return;
    this.circuits.adopt(row.pluginId, journalOfRow(row));
  }

  /** E4, while the engine is away: the database learns of the local decisions all the same. */
  private async writeUnconfirmed(): Promise<void> {
    const { store, routing, log } = this.options;
    for (const { pluginId, journal } of this.circuits.unconfirmed()) {
      try {
        await store.pluginStates.putCircuit(pluginId, storedCircuit(journal, breakerSettings(routing)), Date.now());
      } catch (error) {
        log.warn({ err: error, plugin: pluginId }, 'the state of a circuit could not be written');
      }
    }
  }
}
