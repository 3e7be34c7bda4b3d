import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const root = resolve(__dirname, '../..');

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.angular', 'coverage', 'data']);

/** Every file that is written by hand, relative to the root. */
export function sourceFiles(dir = root): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name) && entry.name !== 'package-lock.json')
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      return entry.isDirectory() ? sourceFiles(path) : [relative(root, path)];
    });
}
