/** F6: a clone's files come again from its package, a package's from where it was installed from. */
import type { Catalogue } from '../../store/store';
import type { PluginHost } from '../plugin-host';
import { copyPackage } from './copy-package';
import type { PluginDefinition } from './definition';
import { FileWatch } from './file-digests';
import { placePackage, readPackage } from './install-package';
import { copyDirectory } from './make-plugin';
import { PackageRefused } from './package-entry';
import type { PackageShelf, ShelvedPackage } from './package-shelf';
import { PluginRefusal } from './refusal';

export interface RepairDeps {
  readonly host: PluginHost;
  readonly shelf: PackageShelf;
  readonly store: Pick<Catalogue, 'putPlugin'>;
}

export class PluginRepair {
  constructor(private readonly deps: RepairDeps) {}

  /** The plugins whose files are sound now, as they are defined from here on. */
  async repair(definition: PluginDefinition): Promise<readonly PluginDefinition[]> {
    const { host, shelf } = this.deps;
    const found = shelf.find(definition.package, definition.packageDigest);
    if (!found) {
      throw new PluginRefusal('nothing_to_repair', `The package '${definition.package}' is gone; install it again.`);
    }
    if (found.origin === 'bundled' && definition.files === null) {
      const message = `The plugin '${definition.id}' runs the installation's own files; install SoAI again if those are damaged.`;
      throw new PluginRefusal('nothing_to_repair', message);
    }
    await host.get(definition.id)?.adapter?.stop();
    if (found.origin === 'installed') await this.repairPackage(found);
    if (definition.files !== null) return [await this.repairClone(definition, found)];
    // What they share is sound again for all of them.
    const sharing = host.all().flatMap(({ id }) => host.definition(id) ?? []);
    return sharing.filter((each) => each.files === null && shelf.find(each.package, each.packageDigest) === found);
  }

  private async repairClone(definition: PluginDefinition, found: ShelvedPackage): Promise<PluginDefinition> {
    await copyPackage(found, copyDirectory(this.deps.shelf, definition.id));
    const { origin, ...row } = { ...definition, files: found.files };
    await this.deps.store.putPlugin(row);
    return { ...row, origin };
  }

  private async repairPackage({ name, directory, digest, files, source }: ShelvedPackage): Promise<void> {
    if ((await new FileWatch().difference(directory, files)) === null) return;
    const again = `Install the package '${name}' again from where it came from`;
    let read;
    try {
      read = await readPackage(source ?? '', this.deps.shelf.pluginsDir);
    } catch (error) {
      if (!(error instanceof PackageRefused)) throw error;
      throw new PluginRefusal('package_invalid', `${again}: ${error.message}.`);
    }
    if (read.digest !== digest) {
      await read.discard();
      throw new PluginRefusal('package_invalid', `${again}: ${source} holds another version or other files by now.`);
    }
    await placePackage(read, directory);
  }
}
