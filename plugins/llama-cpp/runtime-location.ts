import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The package.json and its lock file, in the source tree also when this file runs from `dist`. */
export function runtimeSources(): string {
  const candidates = [path.join(__dirname, 'runtime'), path.join(__dirname, '../../../plugins/llama-cpp/runtime')];
  const found = candidates.find((directory) => existsSync(path.join(directory, 'package-lock.json')));
  if (found === undefined)
    throw new Error(`the llama-cpp runtime's package-lock.json is missing: ${candidates.join(', ')}`);
  return found;
}

/** The pinned version of node-llama-cpp. */
export function runtimeVersion(): string {
  const { dependencies } = JSON.parse(readFileSync(path.join(runtimeSources(), 'package.json'), 'utf8')) as {
    dependencies: { 'node-llama-cpp': string };
  };
  return dependencies['node-llama-cpp'];
}

export function runtimeDirectory(cacheDir: string): string {
  return path.join(cacheDir, 'llama-cpp', runtimeVersion());
}

/** False for one that was never installed, or not wholly. */
export function isInstalled(directory: string, binaries: readonly string[]): boolean {
  return ['node-llama-cpp', ...binaries].every((name) =>
    existsSync(path.join(directory, 'node_modules', name, 'package.json')),
  );
}
