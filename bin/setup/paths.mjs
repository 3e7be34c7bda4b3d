import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {...string} parts */
export const inRoot = (...parts) => join(root, ...parts);

/** Builds and downloads that outlive this checkout. */
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'soai');

/** The pinned Node, from the npm package `node`. */
export const pinnedNode = inRoot('node_modules', 'node', 'bin', 'node');

/** The environment of everything that set-up starts: the pinned Node first. */
export const pinnedEnv = () => ({
  ...process.env,
  PATH: [inRoot('node_modules', 'node', 'bin'), process.env.PATH].join(delimiter),
});
