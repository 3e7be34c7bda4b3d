import { cpSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { inRoot, root } from './paths.mjs';
import { filesBelow } from './stamp.mjs';

const COMPILED = /\.(js|js\.map)$/;

/**
 * Files that the server reads at run time travel beside the compiled code.
 * @param {string[]} rooms
 */
export function copyAssets(rooms) {
  for (const room of rooms) {
    for (const file of filesBelow(inRoot(room))) {
      if (/\.(ts|md|snap)$/.test(file)) continue;
      cpSync(file, inRoot('dist', relative(root, file)));
    }
  }
}

/**
 * Compiled files whose source is gone would still be found by code that loads a directory (migrations).
 * @param {string[]} rooms
 */
export function pruneOutputs(rooms) {
  for (const room of rooms) {
    const sources = new Set(filesBelow(inRoot(room)).map((file) => relative(root, file)));
    for (const output of filesBelow(inRoot('dist', room))) {
      const source = relative(inRoot('dist'), output);
      if (!sources.has(source) && !sources.has(source.replace(COMPILED, '.ts'))) rmSync(output);
    }
  }
}
