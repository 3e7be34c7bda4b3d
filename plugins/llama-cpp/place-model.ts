import { copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Puts a file into a directory: a hard link where the file system allows, else a copy. Atomic. */
export async function placeModel(file: string, directory: string, name: string = path.basename(file)): Promise<string> {
  const target = path.join(directory, name);
  if (await sameFile(file, target)) return target;
  await mkdir(directory, { recursive: true });
  const partial = `${target}.${process.pid}.part`;
  try {
    await link(file, partial).catch(() => copyFile(file, partial));
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
  return target;
}

async function sameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other).catch(() => null)]);
  return b !== null && ((a.ino === b.ino && a.dev === b.dev) || (a.size === b.size && a.mtimeMs <= b.mtimeMs));
}
