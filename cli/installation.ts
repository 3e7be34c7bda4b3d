/** Where this copy of SoAI is, and which version. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The directory of package.json: the same from the sources and from `dist/`. */
export const ROOT = findRoot(__dirname);

export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** A compiled entry point of another room, run as a process of its own. */
export function entryPoint(...path: string[]): string {
  return join(ROOT, 'dist', ...path);
}

function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  return findRoot(dirname(from));
}
