// A stamp is a hash of a step's inputs, left where its output is: output deleted, stamp gone.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './paths.mjs';

const NOT_INPUTS = new Set(['node_modules', 'dist', '.git', '.angular', 'coverage', 'data']);

/**
 * Every file below `path`, sorted; `path` itself when it is one; nothing when it is absent.
 * @param {string} path
 * @returns {string[]}
 */
export function filesBelow(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !NOT_INPUTS.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(join(path, entry.name)));
}

/** @param {string[]} paths files and folders */
export function hashOf(paths) {
  const hash = createHash('sha256').update(process.platform).update(process.arch);
  for (const file of paths.flatMap(filesBelow)) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** @param {string} stampFile @param {string} hash */
export function isCurrent(stampFile, hash) {
  try {
    return readFileSync(stampFile, 'utf8') === hash;
  } catch {
    return false;
  }
}

/** @param {string} stampFile @param {string} hash */
export function writeStamp(stampFile, hash) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, hash);
}
