/** Copies a package's folder under the same rules as an archive: regular files and folders, bounded (S50). */
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { entryName, PACKAGE_LIMITS, PackageBudget, PackageRefused, type PackageLimits } from './package-entry';

/** @param only the files to take; all by default. @throws PackageRefused */
export async function copyTree(
  source: string,
  target: string,
  only?: readonly string[],
  limits: PackageLimits = PACKAGE_LIMITS,
): Promise<void> {
  const budget = new PackageBudget(limits);
  const copyInto = async (relative: string): Promise<void> => {
    for (const entry of await readdir(path.join(source, relative), { withFileTypes: true })) {
      const given = relative === '' ? entry.name : `${relative}/${entry.name}`;
      const wanted = !only || only.some((name) => name === given || name.startsWith(`${given}/`));
      if (!wanted) continue;
      const name = entryName(given);
      if (entry.isDirectory()) {
        budget.entry();
        await mkdir(path.join(target, name), { recursive: true, mode: 0o700 });
        await copyInto(given);
      } else if (entry.isFile()) {
        const { size } = await lstat(path.join(source, given));
        budget.file(name, size);
        await copyFile(path.join(source, given), path.join(target, name), constants.COPYFILE_EXCL);
      } else {
        throw new PackageRefused(`${JSON.stringify(given)} is neither a file nor a folder`);
      }
    }
  };
  await mkdir(target, { recursive: true, mode: 0o700 });
  await copyInto('');
}
