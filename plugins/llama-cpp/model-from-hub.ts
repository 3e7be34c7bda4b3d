import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { isInstalled, runtimeDirectory } from './runtime-location';
import { runCommand, type Log } from './run-command';

const DOWNLOAD_MS = 6 * 60 * 60_000;

/** In a process of its own: node-llama-cpp stays out of ours, and a stuck download can be ended. */
const SCRIPT = `
const [entry, uri, directory] = process.argv.slice(1);
try {
  const { resolveModelFile } = await import(entry);
  console.log('\\n' + JSON.stringify(await resolveModelFile(uri, { directory, cli: false })));
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
`;

/** Resolves an `hf:` name with node-llama-cpp's own resolver. Rejects with the reason when it can't. */
export async function modelFromHub(uri: string, cacheDir: string, modelsCache: string, log: Log): Promise<string> {
  const directory = runtimeDirectory(cacheDir);
  if (!isInstalled(directory, [])) throw new Error('node-llama-cpp, which resolves such names, is not installed');
  const runtime = createRequire(path.join(directory, 'package.json'));
  const entry = pathToFileURL(runtime.resolve('node-llama-cpp')).href;
  log(`downloading ${uri}`);
  const { stdout } = await runCommand(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, entry, uri, modelsCache],
    { timeoutMs: DOWNLOAD_MS, progress: { doing: `downloading ${uri}`, log } },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string;
}
