/** Where the built product is. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** This file runs from test/ (jest) and from dist/test/ (the benchmark). */
function findRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  if (dirname(from) === from) throw new Error('no package.json above the test directory');
  return findRoot(dirname(from));
}

export const ROOT = findRoot(__dirname);
export const SERVER = join(ROOT, 'dist/api/main.js');
export const COMMAND = join(ROOT, 'bin/soai');

export function assertBuilt(): void {
  if (existsSync(SERVER)) return;
  throw new Error(`${SERVER} is missing: build the product first ("npm test" and "npm run bench" do).`);
}
