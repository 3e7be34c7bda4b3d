/** What a package's files have to be, and whether they are (spec F6). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** SHA-256 in hex by path, the parts joined by `/`. */
export type FileDigests = Readonly<Record<string, string>>;

/** Build by-products that no package consists of. */
const LEFT_OUT = /\.(map|spec\.ts)$/;

/** Every file below a directory. What is neither file nor directory counts as a file of another digest. */
export async function digestsOf(directory: string): Promise<FileDigests> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory() || LEFT_OUT.test(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(directory, file).split(path.sep).join('/');
    found[name] = entry.isFile() ? await sha256(file) : 'no regular file';
  }
  return found;
}

/** One digest for all of them. */
export function packageDigest(files: FileDigests): string {
  const hash = createHash('sha256');
  for (const name of Object.keys(files).sort()) hash.update(`${name}\0${files[name]}\n`);
  return hash.digest('hex');
}

/**
 * Compares a directory with what was recorded of it. Looking again is cheap: a file is read only when
 * its size, times or identity have changed, and the change time is nothing a writer can set.
 */
export class FileWatch {
  private readonly seen = new Map<string, { readonly identity: string; readonly digest: string }>();

  /** What differs first, in words, or null. */
  async difference(directory: string, recorded: FileDigests): Promise<string | null> {
    let names: string[];
    try {
      names = await namesBelow(directory);
    } catch {
      return 'its files are gone';
    }
    for (const name of Object.keys(recorded)) if (!names.includes(name)) return `its file ${name} is missing`;
    for (const name of names) {
      const wanted = recorded[name];
      if (wanted === undefined) return `its file ${name} was not there when it was recorded`;
      if ((await this.digest(path.join(directory, name))) !== wanted) return `its file ${name} was changed`;
    }
    return null;
  }

  private async digest(file: string): Promise<string | null> {
    const stats = await lstat(file, { bigint: true }).catch(() => null);
    if (!stats?.isFile()) return null;
    const identity = `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
    const known = this.seen.get(file);
    if (known?.identity === identity) return known.digest;
    const digest = await sha256(file).catch(() => null);
    if (digest !== null) this.seen.set(file, { identity, digest });
    return digest;
  }
}

async function namesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && !LEFT_OUT.test(entry.name))
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
