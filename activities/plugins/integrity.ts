/**
 * Whether a plugin runs the files that were recorded for it (spec F6). One that doesn't is quarantined
 * as `integrity`, which no reset lifts: only its repair, or a new clone, does.
 */
import type { Logger } from 'pino';
import type { PluginStates } from '../../store/store';
import { NOT_QUARANTINED, type Quarantine } from '../hosted-plugin';
import type { PluginHost } from '../plugin-host';
import { FileWatch } from './file-digests';
import { copyDirectory } from './make-plugin';
import type { PackageShelf } from './package-shelf';

export interface IntegrityDeps {
  readonly host: PluginHost;
  readonly shelf: PackageShelf;
  readonly states: PluginStates;
  readonly log: Logger;
  readonly now: () => number;
}

export class PluginIntegrity {
  private readonly watch = new FileWatch();

  constructor(private readonly deps: IntegrityDeps) {}

  /**
   * What is wrong with a plugin's files, in words, or null. Those of a bundled package are the
   * installation itself, so only a clone's copy of them is looked at.
   */
  async difference(pluginId: string): Promise<string | null> {
    const { host, shelf } = this.deps;
    const definition = host.definition(pluginId);
    if (!definition) return null;
    if (definition.files !== null) return this.watch.difference(copyDirectory(shelf, pluginId), definition.files);
    const found = shelf.find(definition.package, definition.packageDigest);
    return found?.origin === 'installed' ? this.watch.difference(found.directory, found.files) : null;
  }

  /** Quarantines a plugin whose files differ, stopping its backend. True: it is sound, or was known not to be. */
  async enforce(pluginId: string): Promise<boolean> {
    const reason = await this.difference(pluginId);
    const plugin = this.deps.host.get(pluginId);
    if (reason === null || !plugin || plugin.quarantine.state === 'integrity') return true;
    this.deps.log.error({ plugin: pluginId, reason }, 'a plugin was quarantined: its files are not what was recorded');
    await this.set(pluginId, { state: 'integrity', reason, since: this.deps.now() });
    await plugin.adapter?.stop();
    return false;
  }

  async enforceAll(): Promise<void> {
    for (const { id } of this.deps.host.all()) await this.enforce(id);
  }

  /** After a repair. */
  async lift(pluginId: string): Promise<void> {
    if (this.deps.host.get(pluginId)?.quarantine.state === 'integrity') await this.set(pluginId, NOT_QUARANTINED);
  }

  private async set(pluginId: string, quarantine: Quarantine): Promise<void> {
    const { state, reason, since } = quarantine;
    // What is barred is barred before the database says so; what is lifted, only then.
    if (state !== 'none') this.deps.host.setQuarantine(pluginId, quarantine);
    await this.deps.states.putQuarantine(
      pluginId,
      { quarantineState: state, quarantineReason: reason, quarantineSince: since },
      this.deps.now(),
    );
    // Also where it was said already: a row read meanwhile would have undone it.
    this.deps.host.setQuarantine(pluginId, quarantine);
  }
}
