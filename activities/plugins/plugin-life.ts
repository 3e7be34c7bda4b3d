/** Everything there is to do with plugins in this process, put together. */
import path from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema';
import { UpstreamFailure } from '../../plugins/adapter';
import { SecretBox, secretKeyFile } from '../../store/secret-box';
import type { Store } from '../../store/store';
import type { Quarantine } from '../hosted-plugin';
import { PluginHost } from '../plugin-host';
import type { Installation } from './compatibility';
import { IdleUnload } from './idle-unload';
import { PluginIntegrity } from './integrity';
import { PackageActions } from './package-actions';
import { PackageShelf } from './package-shelf';
import { PluginActions } from './plugin-actions';
import { PluginSwitches } from './plugin-switches';
import { PluginRepair } from './repair';

export interface PluginLifeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly dataDir: string;
  readonly cacheDir: string;
  /** Of SoAI. */
  readonly version: string;
  readonly models: () => readonly { readonly id: string; readonly pluginId: string; readonly upstreamModel: string }[];
  readonly load: (pluginId: string) => { readonly running: number; readonly waiting: number };
  readonly log: Logger;
}

export class PluginLife {
  readonly host: PluginHost;
  readonly shelf: PackageShelf;
  readonly integrity: PluginIntegrity;
  readonly actions: PluginActions;
  readonly switches: PluginSwitches;
  readonly packages: PackageActions;
  readonly here: Installation;

  private readonly idleUnload: IdleUnload;
  private readonly ending = new AbortController();

  constructor(private readonly options: PluginLifeOptions) {
    const { settings, store, dataDir, cacheDir, version, models, load, log } = options;
    const now = Date.now;
    const secrets = new SecretBox(secretKeyFile(dataDir));
    const shelf = new PackageShelf(path.join(dataDir, 'plugins'));
    this.here = { version, platform: `${process.platform}-${process.arch}`, node: process.versions.node };
    const host = new PluginHost({
      settings,
      shelf,
      secrets,
      here: this.here,
      cacheDir,
      log,
      now,
      stored: () => store.catalogue.plugins(),
      quarantines: () => quarantines(store),
    });
    this.shelf = shelf;
    this.host = host;
    this.integrity = new PluginIntegrity({ host, shelf, states: store.pluginStates, log, now });
    const repairs = new PluginRepair({ host, shelf, store: store.catalogue });
    this.actions = new PluginActions({
      host,
      shelf,
      store: store.catalogue,
      states: store.pluginStates,
      secrets,
      models,
      load,
      log,
      now,
    });
    this.switches = new PluginSwitches({ host, store: store.catalogue, integrity: this.integrity, repairs, load, log });
    this.idleUnload = new IdleUnload({ host, load, log, now });
    this.packages = new PackageActions({ host, shelf, store: store.pluginPackages, log, now });
  }

  async start(): Promise<void> {
    await this.shelf.load(await this.options.store.pluginPackages.list());
    await this.host.load();
    await this.integrity.enforceAll();
    this.idleUnload.start();
  }

  /** Once the models are known: in the order of definition, and not more than may run at once. */
  preload(): void {
    const most = this.options.settings.MODELS.ROUTING.MAX_RUNNING_LOCAL_BACKENDS;
    const wanted = this.host.all().filter(({ id, enabled, manifest, quarantine }) => {
      const preload = this.host.definition(id)?.options?.preload ?? false;
      return preload && enabled && manifest?.local === true && quarantine.state === 'none';
    });
    for (const { id } of wanted.slice(0, most)) {
      this.bringUp(id).catch((err: unknown) =>
        this.options.log.error({ err, plugin: id }, 'a backend could not be preloaded'),
      );
    }
  }

  /** With the first of its models in memory, so that the first request need not wait for that either. */
  private async bringUp(id: string): Promise<void> {
    const { models, log } = this.options;
    await this.switches.start(id);
    const adapter = this.host.get(id)?.adapter;
    const first = models().find(({ pluginId }) => pluginId === id);
    if (!first || !adapter?.load || adapter.backend.state !== 'running') return;
    await adapter.load(first.upstreamModel, this.ending.signal).catch((error: unknown) => {
      if (!(error instanceof UpstreamFailure)) throw error;
      log.warn({ plugin: id, model: first.id, reason: error.message }, 'a model could not be preloaded');
    });
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.idleUnload.stop();
    await this.host.stop();
  }
}

async function quarantines(store: Store): Promise<ReadonlyMap<string, Quarantine>> {
  const rows = await store.pluginStates.list();
  return new Map(
    rows
      .filter(({ quarantineState }) => quarantineState !== 'none')
      .map(({ pluginId, quarantineState: state, quarantineReason: reason, quarantineSince: since }) => [
        pluginId,
        { state, reason, since },
      ]),
  );
}
