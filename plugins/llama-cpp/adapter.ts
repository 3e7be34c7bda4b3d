import { availableParallelism } from 'node:os';
import path from 'node:path';
import { UpstreamFailure, type Adapter, type PluginContext } from '../adapter';
import { Lifecycle } from '../process/lifecycle';
import { pingLocal } from '../process/ping-local';
import { hostBinaries, thisHost } from './host-binaries';
import { LocalModelFiles } from './local-model-files';
import { ModelsDirectory } from './models-directory';
import { isInstalled, runtimeDirectory } from './runtime-location';
import { defaultThreads, type Settings } from './settings';
import { LlamaWorker } from './worker-process';

/** Large models come from slow disks; a load that takes longer is given up. */
const LOAD_WITHIN_MS = 900_000;

const WORKER_SCRIPT = path.join(__dirname, 'worker', 'main.js');

/** GGUF models on this host, computed in a worker process that holds one at a time. */
export function createAdapter(context: PluginContext, script: string = WORKER_SCRIPT): Adapter {
  const options = context.settings as Settings;
  const models = new ModelsDirectory(options.MODELS_DIR ?? path.join(context.dataDir, 'models'), options.CONTEXT_SIZE);
  const files = new LocalModelFiles(models, path.join(context.cacheDir, 'models'), (line) => context.log('info', line));
  const life = new Lifecycle(async (abandoned) => {
    const runtimeDir = runtimeDirectory(context.cacheDir);
    if (!isInstalled(runtimeDir, hostBinaries(thisHost()))) {
      throw new UpstreamFailure('configuration', 'node-llama-cpp is not installed; `npm run setup` installs it.');
    }
    const settings = {
      runtimeDir,
      contextSize: options.CONTEXT_SIZE,
      threads: Math.min(options.THREADS ?? defaultThreads(), availableParallelism()),
      gpu: options.GPU,
      memoryMarginMib: options.MEMORY_MARGIN_MIB,
    };
    return LlamaWorker.start(
      { context, settings, script, startTimeoutMs: options.START_TIMEOUT_SEC * 1000 },
      abandoned,
    );
  }, context.changed);

  const running = async (model: string, signal: AbortSignal): Promise<{ file: string; worker: LlamaWorker }> => {
    const file = await models.find(model);
    return { file, worker: await life.startFor(signal) };
  };

  return {
    files,
    start: () => life.start().then(() => undefined),
    stop: () => life.stop(),
    get backend() {
      return life.backend;
    },
    ping: (signal) => pingLocal(life, (worker) => worker.ping(signal)),
    discover: () => models.list(),
    async call({ operation, model, body, stream, deadlines, signal }) {
      const { file, worker } = await running(model, signal);
      return worker.call({ operation, file, model, body, stream }, deadlines, signal);
    },
    async load(model, signal) {
      const { file, worker } = await running(model, signal);
      const call = { operation: 'load', file, model, body: {}, stream: false } as const;
      await worker.call(
        call,
        { connectMs: LOAD_WITHIN_MS, firstByteMs: LOAD_WITHIN_MS, idleMs: LOAD_WITHIN_MS },
        signal,
      );
    },
    get loadedModel() {
      return life.running?.loadedModel ?? null;
    },
  };
}
