import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The executable of this name on PATH, or null.
 * @param {string} name
 */
export function which(name) {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, name));
  return candidates.find(isExecutable) ?? null;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
