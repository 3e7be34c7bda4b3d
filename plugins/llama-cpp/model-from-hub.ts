import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { runtimeDirectory } from './runtime-location';
import { runCommand, type Log } from './run-command';

const DOWNLOAD_MS = 6 * 60 * 60_000;

/** In a process of its own: node-llama-cpp stays out of ours, and a stuck download can be ended. */
const SCRIPT = `
const [entry, uri, directory] = process.argv.slice(1);
const { resolveModelFile } = await import(entry);
console.log('\\n' + JSON.stringify(await resolveModelFile(uri, { directory, cli: false })));
process.exit(0);
`;

/** Resolves an `hf:` name with node-llama-cpp's own resolver. Rejects with the reason when it can't. */
export async function modelFromHub(uri: string, cacheDir: string, modelsCache: string, log: Log): Promise<string> {
  const runtime = createRequire(path.join(runtimeDirectory(cacheDir), 'package.json'));
  const entry = pathToFileURL(runtime.resolve('node-llama-cpp')).href;
  log(`downloading ${uri}`);
  const { stdout } = await runCommand(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, entry, uri, modelsCache],
    { timeoutMs: DOWNLOAD_MS, progress: { doing: `downloading ${uri}`, log } },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string;
}
