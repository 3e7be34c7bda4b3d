/** Making, changing, cloning and removing plugins (spec F, J "Plugins"). */
import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { checkSettings, secretSettings } from '../../plugins/manifest-settings';
import type { PluginOptions } from '../../store/records';
import type { Catalogue, PluginStates } from '../../store/store';
import { SecretUnreadable } from '../../store/secret-box';
import type { PluginHost } from '../plugin-host';
import { copyPackage } from './copy-package';
import { DEFAULT_OPTIONS, sameId, type PluginDefinition } from './definition';
import { copyDirectory } from './make-plugin';
import type { PackageShelf, ShelvedPackage } from './package-shelf';
import { PluginRefusal } from './refusal';
import { mergePatch, openSettings, sealSettings, withoutSecrets, type Seal } from './secret-settings';

type Tree = Readonly<Record<string, unknown>>;

export interface PluginActionDeps {
  readonly host: PluginHost;
  readonly shelf: PackageShelf;
  readonly store: Pick<Catalogue, 'putPlugin' | 'removePlugin'>;
  readonly states: Pick<PluginStates, 'remove'>;
  readonly secrets: Seal;
  /** Every model with its plugin. */
  readonly models: () => readonly { readonly id: string; readonly pluginId: string }[];
  readonly load: (pluginId: string) => { readonly running: number; readonly waiting: number };
  readonly log: Logger;
  readonly now: () => number;
}

export interface NewPlugin {
  readonly id: string;
  readonly package: string;
  readonly settings: Tree;
  readonly enabled: boolean;
  readonly maxConcurrentTasks: number;
  readonly options: Partial<PluginOptions>;
}

export interface PluginChange {
  /** RFC 7396: what is named replaces, null removes. */
  readonly settings?: Tree | undefined;
  readonly maxConcurrentTasks?: number | undefined;
  readonly options?: Partial<PluginOptions> | undefined;
}

export class PluginActions {
  /** Ids of those being made. */
  private readonly making = new Set<string>();

  constructor(private readonly deps: PluginActionDeps) {}

  create(wanted: NewPlugin): Promise<void> {
    return this.reserving(wanted.id, () => this.make(wanted));
  }

  private async make(wanted: NewPlugin): Promise<void> {
    const found = this.packageOf(wanted.package, null);
    const settings = await this.judged(wanted.id, found, wanted.settings);
    await this.keep({
      id: wanted.id,
      package: found.name,
      settings,
      maxConcurrentTasks: wanted.maxConcurrentTasks,
      enabled: wanted.enabled,
      options: { ...DEFAULT_OPTIONS, ...wanted.options },
      clonedFrom: null,
      packageDigest: found.origin === 'installed' ? found.digest : null,
      files: null,
      createdAt: this.deps.now(),
      origin: 'database',
    });
  }

  async change(id: string, { settings, maxConcurrentTasks, options }: PluginChange): Promise<void> {
    const before = this.changeable(id);
    const changed: PluginDefinition = {
      ...before,
      maxConcurrentTasks: maxConcurrentTasks ?? before.maxConcurrentTasks,
      options: { ...(before.options ?? DEFAULT_OPTIONS), ...options },
    };
    if (settings === undefined) {
      await this.store(changed);
      return this.deps.host.adjust(changed);
    }
    const found = this.packageOf(before.package, before.packageDigest);
    const opened = await this.openedAsFarAsPossible(before, found);
    await this.keep({ ...changed, settings: await this.judged(id, found, mergePatch(opened, settings)) });
  }

  /** The same package and settings under another id, with files of its own. */
  async clone(id: string, cloneId: string, settings: Tree): Promise<void> {
    const source = this.known(id);
    return this.reserving(cloneId, () => this.makeClone(source, cloneId, settings));
  }

  private async makeClone(source: PluginDefinition, cloneId: string, settings: Tree): Promise<void> {
    const { id } = source;
    const found = this.packageOf(source.package, source.packageDigest);
    const opened = await openSettings(source.settings, secretSettings(found.plugin.manifest), id, this.deps.secrets);
    const judged = await this.judged(cloneId, found, mergePatch(opened, settings));
    await copyPackage(found, copyDirectory(this.deps.shelf, cloneId));
    await this.keep({
      ...source,
      id: cloneId,
      settings: judged,
      enabled: true,
      clonedFrom: id,
      packageDigest: found.origin === 'installed' ? found.digest : null,
      files: found.files,
      createdAt: this.deps.now(),
      origin: 'database',
    });
  }

  /** Its own directory stays, since models may be in it; a clone's copy of its package goes. */
  async remove(id: string): Promise<void> {
    const { host, shelf, store, states, models, load, log } = this.deps;
    this.changeable(id);
    const dependent = models().filter(({ pluginId }) => pluginId === id);
    if (dependent.length > 0) {
      const names = dependent.map((model) => model.id).join(', ');
      throw new PluginRefusal('plugin_in_use', `These models depend on the plugin '${id}': ${names}.`);
    }
    const { running, waiting } = load(id);
    if (running + waiting > 0) {
      const work = `${running} running and ${waiting} waiting requests`;
      throw new PluginRefusal('plugin_busy', `The plugin '${id}' has ${work}; drain it first.`);
    }
    await host.remove(id);
    await store.removePlugin(id);
    await states.remove(id);
    await rm(copyDirectory(shelf, id), { recursive: true, force: true });
    log.info({ plugin: id }, 'plugin removed');
  }

  /** Its settings without secrets, and the names of the secrets that are set. */
  async settingsOf(id: string): Promise<{ readonly shown: Record<string, unknown>; readonly set: string[] }> {
    const { settings, package: name, packageDigest } = this.known(id);
    const found = this.deps.shelf.find(name, packageDigest);
    // Without its manifest nobody can tell which of them are secret.
    if (!found) return { shown: {}, set: [] };
    return withoutSecrets(settings, secretSettings(found.plugin.manifest));
  }

  private known(id: string): PluginDefinition {
    const definition = this.deps.host.definition(id);
    if (!definition) throw new PluginRefusal('plugin_not_found', `There is no plugin '${id}'.`);
    return definition;
  }

  private changeable(id: string): PluginDefinition {
    const definition = this.known(id);
    if (definition.origin === 'config') throw new PluginRefusal('plugin_read_only', readOnlyReason(id));
    return definition;
  }

  /** Nobody else can take the id while a plugin of it is being made. */
  private async reserving(id: string, make: () => Promise<void>): Promise<void> {
    const holder = [...this.deps.host.all().map((plugin) => plugin.id), ...this.making].find((each) =>
      sameId(each, id),
    );
    if (holder) throw new PluginRefusal('plugin_exists', `There is a plugin '${holder}' already.`, 'id');
    this.making.add(id);
    try {
      await make();
    } finally {
      this.making.delete(id);
    }
  }

  private packageOf(name: string, digest: string | null): ShelvedPackage {
    const found = this.deps.shelf.find(name, digest);
    if (found) return found;
    const known = [...new Set(this.deps.shelf.all().map((each) => each.name))].join(', ');
    throw new PluginRefusal('package_not_found', `There is no package '${name}'; there are: ${known}.`, 'package');
  }

  /** The settings as they are stored: accepted by the manifest, secrets sealed. */
  private async judged(id: string, { plugin: { manifest } }: ShelvedPackage, settings: Tree): Promise<Tree> {
    const checked = checkSettings(manifest, settings);
    if (!checked.valid) {
      const [first] = checked.faults;
      const faults = checked.faults.map(({ setting, message }) => `${setting || 'settings'}: ${message}`);
      const param = first?.setting ? `settings.${first.setting}` : 'settings';
      throw new PluginRefusal('plugin_settings_invalid', `${faults.join('; ')}.`, param);
    }
    return sealSettings(settings, secretSettings(manifest), id, this.deps.secrets);
  }

  /** With its key gone a plugin is mended by entering its secrets again: what can't be opened is left out. */
  private async openedAsFarAsPossible(definition: PluginDefinition, found: ShelvedPackage): Promise<Tree> {
    const { secrets } = this.deps;
    const forgiving: Seal = {
      seal: (secret, about) => secrets.seal(secret, about),
      open: (sealed, about) =>
        secrets.open(sealed, about).catch((error: unknown) => {
          if (error instanceof SecretUnreadable) return 'null';
          throw error;
        }),
    };
    const opened = await openSettings(
      definition.settings,
      secretSettings(found.plugin.manifest),
      definition.id,
      forgiving,
    );
    return mergePatch({}, opened);
  }

  private async keep(definition: PluginDefinition): Promise<void> {
    await this.store(definition);
    await this.deps.host.put(definition);
  }

  private async store({ origin: _origin, ...row }: PluginDefinition): Promise<void> {
    await this.deps.store.putPlugin(row);
  }
}

export const readOnlyReason = (id: string): string =>
  `The plugin '${id}' is defined in the settings file (PLUGINS); change it there and restart SoAI.`;
