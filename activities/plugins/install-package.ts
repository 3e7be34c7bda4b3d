/** Brings a package's files from a folder or an archive to where they stay (spec F, S50). */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { packagedManifest, type PackagedManifest } from '../../plugins/packaged/manifest';
import { copyTree } from './copy-tree';
import { digestsOf, packageDigest, type FileDigests } from './file-digests';
import { PackageRefused } from './package-entry';
import { unpack } from './unpack';
import { isInRange } from './version-range';

export interface ReadPackage {
  readonly manifest: PackagedManifest;
  readonly files: FileDigests;
  readonly digest: string;
  /** Where its files wait; to be moved or removed by the caller. */
  readonly staged: string;
  /** Removes what is left of the staging. */
  discard(): Promise<void>;
}

const MANIFEST = 'manifest.json';
const MAX_MANIFEST_BYTES = 256 * 1024;

/** Unpacks or copies to a staging directory below `pluginsDir` and judges it. @throws PackageRefused */
export async function readPackage(source: string, pluginsDir: string): Promise<ReadPackage> {
  await mkdir(pluginsDir, { recursive: true, mode: 0o700 });
  const staging = path.join(pluginsDir, `.staging-${randomBytes(8).toString('hex')}`);
  await mkdir(staging, { mode: 0o700 });
  const discard = (): Promise<void> => rm(staging, { recursive: true, force: true });
  try {
    await bring(source, staging);
    const staged = await rootOf(staging);
    const manifest = await readManifest(staged);
    const files = await digestsOf(staged);
    await requireProgram(manifest, staged);
    return { manifest, files, digest: packageDigest(files), staged, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Puts staged files in place, read-only. What stood there before is replaced. */
export async function placePackage({ staged, discard }: ReadPackage, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await rename(staged, directory);
  await makeReadOnly(directory);
  await discard();
}

/** A program may be run, none may be altered by accident. */
export async function makeReadOnly(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const { mode } = await stat(file);
    await chmod(file, (mode & 0o100) === 0 ? 0o400 : 0o500);
  }
}

async function bring(source: string, staging: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(source)).isDirectory();
  } catch (error) {
    throw new PackageRefused(`${source} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (isFolder) await copyTree(source, staging);
  else await unpack(source, staging);
}

/** Archives often hold one folder around everything. */
async function rootOf(staging: string): Promise<string> {
  const entries = await readdir(staging, { withFileTypes: true });
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() ? path.join(staging, only.name) : staging;
}

async function readManifest(directory: string): Promise<PackagedManifest> {
  const parsed = packagedManifest.safeParse(parseJson(await readText(path.join(directory, MANIFEST))));
  if (!parsed.success) throw new PackageRefused(`its ${MANIFEST} is at fault: ${z.prettifyError(parsed.error)}`);
  const { requires } = parsed.data;
  for (const range of [requires.soai, requires.node ?? '*']) {
    try {
      isInRange('0.0.0', range);
    } catch (error) {
      throw new PackageRefused(`its ${MANIFEST} is at fault: ${(error as Error).message}`);
    }
  }
  return parsed.data;
}

async function readText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (!handle) throw new PackageRefused(`it has no ${MANIFEST}`);
  try {
    if ((await handle.stat()).size > MAX_MANIFEST_BYTES) throw new PackageRefused(`its ${MANIFEST} is too large`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PackageRefused(`its ${MANIFEST} is not valid JSON`);
  }
}

async function requireProgram({ backend }: PackagedManifest, directory: string): Promise<void> {
  const [program = ''] = backend.command;
  if (!program.startsWith('./')) {
    if (program.includes('/')) {
      throw new PackageRefused(`its program ${JSON.stringify(program)} must begin with "./" or be a name without "/"`);
    }
    return;
  }
  const file = path.join(directory, program);
  const inside = file.startsWith(directory + path.sep);
  const runs =
    inside &&
    (await access(file, constants.X_OK).then(
      () => true,
      () => false,
    ));
  if (!runs) throw new PackageRefused(`its program ${JSON.stringify(program)} is no executable file of it`);
}
