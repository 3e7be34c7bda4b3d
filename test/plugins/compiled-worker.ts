import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');
const SOURCE = path.join(ROOT, 'plugins/llama-cpp');

/**
 * The worker as the build compiles it, so that the specs run what is in the tree and need no build.
 * Inside the checkout, where its imports resolve.
 */
export function compileWorker(): { readonly script: string; remove(): void } {
  const cache = path.join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(path.join(cache, 'soai-llama-worker-'));
  mkdirSync(path.join(directory, 'worker'));
  // Beside the worker, what it shares with the plugin.
  const names = [...readdirSync(SOURCE), ...readdirSync(path.join(SOURCE, 'worker')).map((each) => `worker/${each}`)];
  for (const name of names) {
    if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
    const { outputText } = ts.transpileModule(readFileSync(path.join(SOURCE, name), 'utf8'), {
      fileName: path.join(SOURCE, name),
      compilerOptions: { module: ts.ModuleKind.Node20, target: ts.ScriptTarget.ES2023, esModuleInterop: true },
    });
    writeFileSync(path.join(directory, name.replace(/\.ts$/, '.js')), outputText);
  }
  writeFileSync(path.join(directory, 'package.json'), '{"type":"commonjs"}');
  return {
    script: path.join(directory, 'worker/main.js'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
