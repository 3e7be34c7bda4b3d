/** A plugin's own copy of its package, made whole or not at all (spec F6). */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { copyTree } from './copy-tree';
import { FileWatch } from './file-digests';
import { makeReadOnly } from './install-package';
import type { ShelvedPackage } from './package-shelf';
import { PluginRefusal } from './refusal';

/** Replaces what stands at `target`. Refuses when the package itself is not what was recorded of it. */
export async function copyPackage({ name, directory, files }: ShelvedPackage, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const staged = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await copyTree(directory, staged, Object.keys(files));
    const difference = await new FileWatch().difference(staged, files);
    if (difference !== null) {
      throw new PluginRefusal(
        'package_invalid',
        `The package '${name}' can't be copied: ${difference}. Repair it first.`,
      );
    }
    await makeReadOnly(staged);
    await rm(target, { recursive: true, force: true });
    await rename(staged, target);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
