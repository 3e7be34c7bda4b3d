/** The worker process: node-llama-cpp lives and dies here, away from the server. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FromWorker, ToWorker, WorkerSettings } from '../protocol';
import { CallQueue } from './call-queue';
import type { LlamaApi } from './llama-api';
import { loadModel } from './loaded-model';

function send(message: FromWorker): void {
  // Without a parent there is nobody to tell, and no reason to go on.
  if (process.connected) process.send?.(message);
}

/** At once, and without the clean-up of a native library that may be busy: nothing of it outlives us. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function main(settings: WorkerSettings): Promise<void> {
  process.on('disconnect', die);
  process.on('SIGTERM', die);
  const entry = createRequire(path.join(settings.runtimeDir, 'package.json')).resolve('node-llama-cpp');
  // ESM, and installed elsewhere: only a dynamic import reaches it.
  const api = (await import(pathToFileURL(entry).href)) as LlamaApi;
  const llama = await api.getLlama({
    gpu: settings.gpu === 'off' ? false : settings.gpu,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: settings.threads,
    logLevel: 'warn',
  });
  const queue = new CallQueue((file, signal) => loadModel(api, llama, settings, file, signal), send);
  process.on('message', (message: ToWorker) => {
    if (message.type === 'ping') send({ type: 'pong', id: message.id });
    else queue.receive(message);
  });
  const device = llama.gpu === false ? `${settings.threads} CPU threads` : llama.gpu;
  process.stdout.write(`node-llama-cpp is up, computing on ${device}\n`);
  send({ type: 'ready' });
}

main(JSON.parse(process.argv[2] ?? '') as WorkerSettings).catch((error: unknown) => {
  send({ type: 'broken', message: (error as Error).message });
  process.exitCode = 1;
  process.disconnect();
});
