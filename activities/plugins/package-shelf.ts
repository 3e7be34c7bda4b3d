/** The packages plugins can be made of: those that come with SoAI, and those that were installed. */
import path from 'node:path';
import type { PluginPackage } from '../../plugins/adapter';
import { packagedManifest } from '../../plugins/packaged/manifest';
import { packagedPlugin } from '../../plugins/packaged/package';
import { bundledPackages } from '../../plugins/registry';
import type { PluginPackageRow } from '../../store/records';
import { digestsOf, packageDigest, type FileDigests } from './file-digests';

export interface ShelvedPackage {
  readonly name: string;
  readonly version: string;
  readonly origin: 'bundled' | 'installed';
  readonly plugin: PluginPackage;
  readonly digest: string;
  readonly files: FileDigests;
  readonly directory: string;
  /** Where it was installed from; null for a bundled one. */
  readonly source: string | null;
  readonly installedAt: number | null;
}

/** The compiled `plugins/`, beside this room. */
const BUNDLED = path.join(__dirname, '..', '..', 'plugins');

export class PackageShelf {
  private readonly bundled = new Map<string, ShelvedPackage>();
  private installed: readonly ShelvedPackage[] = [];

  /** @param pluginsDir SYSTEM_DATA/plugins */
  constructor(readonly pluginsDir: string) {}

  async load(rows: readonly PluginPackageRow[]): Promise<void> {
    for (const [name, plugin] of bundledPackages) this.bundled.set(name, await bundledPackage(name, plugin));
    this.installed = rows.map((row) => this.shelved(row));
  }

  add(row: PluginPackageRow): ShelvedPackage {
    const added = this.shelved(row);
    this.installed = [...this.installed.filter(({ digest }) => digest !== row.digest), added];
    return added;
  }

  remove(digest: string): void {
    this.installed = this.installed.filter((each) => each.digest !== digest);
  }

  all(): readonly ShelvedPackage[] {
    return [...this.bundled.values(), ...this.installed];
  }

  /** @param digest null: the bundled one, else the one of that name that was installed last */
  find(name: string, digest: string | null): ShelvedPackage | undefined {
    const found = this.installed.filter((each) => each.name === name);
    if (digest !== null) return found.find((each) => each.digest === digest);
    return this.bundled.get(name) ?? found.at(-1);
  }

  isBundled(name: string): boolean {
    return bundledPackages.has(name);
  }

  directoryOf(name: string, digest: string): string {
    return path.join(this.pluginsDir, `${name}@${digest}`);
  }

  private shelved(row: PluginPackageRow): ShelvedPackage {
    const directory = this.directoryOf(row.name, row.digest);
    const { name, version, digest, files, source, installedAt } = row;
    const plugin = packagedPlugin(packagedManifest.parse(row.manifest), directory);
    return { name, version, digest, files, source, installedAt, directory, plugin, origin: 'installed' };
  }
}

async function bundledPackage(name: string, plugin: PluginPackage): Promise<ShelvedPackage> {
  const directory = path.join(BUNDLED, name);
  const files = await digestsOf(directory);
  const { version } = plugin.manifest;
  const digest = packageDigest(files);
  return { name, version, digest, files, directory, plugin, origin: 'bundled', source: null, installedAt: null };
}
