/** Turning plugins on and off, restarting, draining and repairing them (spec F, J "Plugins"). */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UpstreamFailure } from '../../plugins/adapter';
import type { Catalogue } from '../../store/store';
import type { HostedPlugin } from '../hosted-plugin';
import type { PluginHost } from '../plugin-host';
import type { PluginIntegrity } from './integrity';
import { PluginRefusal } from './refusal';
import type { PluginRepair } from './repair';

export interface PluginSwitchDeps {
  readonly host: PluginHost;
  readonly store: Pick<Catalogue, 'putPlugin'>;
  readonly integrity: PluginIntegrity;
  readonly repairs: PluginRepair;
  readonly load: (pluginId: string) => { readonly running: number; readonly waiting: number };
  readonly log: Logger;
}

/** How long an answer waits for what it asked for; after that it tells how far it has come, ms. */
const ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 25;

export class PluginSwitches {
  constructor(private readonly deps: PluginSwitchDeps) {}

  /** For a plugin of the settings file until the next start, when ENABLED decides again. */
  async enable(id: string): Promise<void> {
    await this.setEnabled(id, true);
  }

  /** Takes nothing new from now on; what it was given before goes on, then its backend stops. */
  async disable(id: string): Promise<void> {
    await this.setEnabled(id, false);
    if (await this.emptied(id, ANSWER_WITHIN_MS)) await this.stopIfDisabled(id);
    else void this.emptied(id, Infinity).then(() => this.stopIfDisabled(id));
  }

  /** What runs fails and follows its retry rules. A start that fails shows in the backend's state. */
  async restart(id: string): Promise<void> {
    const { adapter } = this.usable(id);
    await adapter?.stop();
    await this.start(id);
  }

  /** Resolves when everything it had has ended, or after a while. */
  async drain(id: string): Promise<void> {
    this.known(id);
    this.deps.host.setDraining(id, true);
    await this.emptied(id, ANSWER_WITHIN_MS);
  }

  undrain(id: string): void {
    this.known(id);
    this.deps.host.setDraining(id, false);
  }

  /** F6: brings back the files that were recorded, which is more than any reset does. */
  async repair(id: string): Promise<void> {
    const { host, repairs, integrity, log } = this.deps;
    const definition = host.definition(this.known(id).id)!;
    const repaired = await repairs.repair(definition);
    for (const each of repaired) {
      await host.put(each);
      const difference = await integrity.difference(each.id);
      if (difference !== null) throw new PluginRefusal('package_invalid', `The repair did not hold: ${difference}.`);
      await integrity.lift(each.id);
      log.info({ plugin: each.id }, 'plugin repaired');
    }
  }

  /** Brings a backend up; the caller learns how that went from the plugin's state. */
  async start(id: string): Promise<void> {
    const starting = this.deps.host.get(id)?.adapter?.start();
    const settled = starting?.catch((error: unknown) => {
      if (!(error instanceof UpstreamFailure)) throw error;
      this.deps.log.warn({ plugin: id, reason: error.message }, "a plugin's backend could not be started");
    });
    await Promise.race([settled, delay(ANSWER_WITHIN_MS, undefined, { ref: false })]);
  }

  private async setEnabled(id: string, enabled: boolean): Promise<void> {
    this.known(id);
    const { origin, ...row } = this.deps.host.definition(id)!;
    if (origin === 'database') await this.deps.store.putPlugin({ ...row, enabled });
    this.deps.host.adjust({ ...row, origin, enabled });
  }

  private async stopIfDisabled(id: string): Promise<void> {
    const plugin = this.deps.host.get(id);
    if (plugin && !plugin.enabled) await plugin.adapter?.stop();
  }

  private async emptied(id: string, withinMs: number): Promise<boolean> {
    const until = Date.now() + withinMs;
    for (;;) {
      const { running, waiting } = this.deps.load(id);
      if (running + waiting === 0) return true;
      if (Date.now() >= until) return false;
      await delay(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  private known(id: string): HostedPlugin {
    const plugin = this.deps.host.get(id);
    if (!plugin) throw new PluginRefusal('plugin_not_found', `There is no plugin '${id}'.`);
    return plugin;
  }

  private usable(id: string): HostedPlugin {
    const plugin = this.known(id);
    const { incompatible, quarantine } = plugin;
    if (!plugin.enabled)
      throw new PluginRefusal('plugin_not_usable', `The plugin '${id}' is disabled; enable it first.`);
    if (incompatible !== null) {
      throw new PluginRefusal('plugin_not_usable', `The plugin '${id}' is incompatible: ${incompatible}.`);
    }
    if (quarantine.state === 'integrity') {
      const why = quarantine.reason ?? 'its files were changed';
      throw new PluginRefusal('plugin_not_usable', `The plugin '${id}' is quarantined: ${why}. Repair it.`);
    }
    return plugin;
  }
}
