/** Installing and uninstalling plugin packages (spec F). */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { PluginPackageRow } from '../../store/records';
import type { PluginPackages } from '../../store/store';
import type { PluginHost } from '../plugin-host';
import { placePackage, readPackage, type ReadPackage } from './install-package';
import { PackageRefused } from './package-entry';
import type { PackageShelf, ShelvedPackage } from './package-shelf';
import { PluginRefusal } from './refusal';

export interface PackageActionDeps {
  readonly host: PluginHost;
  readonly shelf: PackageShelf;
  readonly store: PluginPackages;
  readonly log: Logger;
  readonly now: () => number;
}

export class PackageActions {
  constructor(private readonly deps: PackageActionDeps) {}

  /** @param source absolute path of a folder or a .tgz archive on this host */
  async install(source: string): Promise<ShelvedPackage> {
    if (!path.isAbsolute(source)) {
      throw new PluginRefusal('package_invalid', `"${source}" is no absolute path on the server's host.`, 'path');
    }
    const read = await this.read(source);
    const { name, version } = read.manifest;
    const row: PluginPackageRow = {
      digest: read.digest,
      name,
      version,
      manifest: read.manifest,
      files: read.files,
      source,
      installedAt: this.deps.now(),
    };
    await placePackage(read, this.deps.shelf.directoryOf(name, read.digest));
    await this.deps.store.put(row);
    const added = this.deps.shelf.add(row);
    this.deps.log.info({ package: name, version, digest: read.digest, source }, 'plugin package installed');
    await this.revive(name);
    return added;
  }

  async uninstall(name: string, digest: string): Promise<void> {
    const { shelf, store, log } = this.deps;
    const found = shelf.find(name, digest);
    if (found?.origin !== 'installed') {
      throw new PluginRefusal('package_not_found', `There is no installed package '${name}' with that digest.`);
    }
    const users = this.usersOf(found);
    if (users.length > 0) {
      throw new PluginRefusal('package_in_use', `These plugins run the package '${name}': ${users.join(', ')}.`);
    }
    shelf.remove(digest);
    await store.remove(digest);
    await rm(found.directory, { recursive: true, force: true });
    log.info({ package: name, digest }, 'plugin package uninstalled');
  }

  usersOf(found: ShelvedPackage): string[] {
    const { host, shelf } = this.deps;
    return host.all().flatMap(({ id }) => {
      const definition = host.definition(id);
      return definition && shelf.find(definition.package, definition.packageDigest) === found ? [id] : [];
    });
  }

  private async read(source: string): Promise<ReadPackage> {
    const { shelf } = this.deps;
    let read: ReadPackage;
    try {
      read = await readPackage(source, shelf.pluginsDir);
    } catch (error) {
      if (!(error instanceof PackageRefused)) throw error;
      throw new PluginRefusal('package_invalid', `The package can't be installed: ${error.message}.`, 'path');
    }
    const { name } = read.manifest;
    const refusal = shelf.isBundled(name)
      ? new PluginRefusal('package_invalid', `'${name}' is the name of a package that comes with SoAI.`, 'path')
      : shelf.find(name, read.digest)
        ? new PluginRefusal('package_exists', `The package '${name}' with just these files is installed already.`)
        : null;
    if (!refusal) return read;
    await read.discard();
    throw refusal;
  }

  /** Plugins that waited for a package of this name. */
  private async revive(name: string): Promise<void> {
    const { host } = this.deps;
    for (const { id, packageName, manifest } of host.all()) {
      const definition = host.definition(id);
      if (packageName === name && manifest === null && definition) await host.put(definition);
    }
  }
}
