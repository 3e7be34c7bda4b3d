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
    };
    return LlamaWorker.start(
      { context, settings, script, startTimeoutMs: options.START_TIMEOUT_SEC * 1000 },
      abandoned,
    );
  }, context.changed);

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
      const file = await models.find(model);
      const worker = await life.startFor(signal);
      return worker.call({ operation, file, model, body, stream }, deadlines, signal);
    },
    get loadedModel() {
      return life.running?.loadedModel ?? null;
    },
  };
}
