/**
 * The part of `npm start`'s set-up that needs the product itself: the database (migrated by opening
 * it), the llama-cpp runtime and the small model. A model that can't be had never fails the start.
 */
import path from 'node:path';
import { cacheDir } from '../../config/paths';
import { installRuntime, obtainModel } from '../../plugins/llama-cpp/install';
import type { ModelRow } from '../../store/records';
import type { OfflineContext } from './context';

const PLUGIN_ID = 'local';
const DEFAULT_MODEL_ID = 'smollm2-135m-instruct';

export async function setUp({ store, settings, dataDir }: OfflineContext, source: string | undefined): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
  const configured = settings.PLUGINS.length > 0 || settings.MODELS.CATALOG.length > 0;
  if (configured && source === undefined) return;
  const known = await store.catalogue.models();
  if (source === undefined && known.some((model) => model.pluginId === PLUGIN_ID)) return;

  try {
    await installRuntime({ cacheDir: cacheDir(), log: say });
    const modelsDir = path.join(dataDir, 'plugins', PLUGIN_ID, 'models');
    const model = await obtainModel({ cacheDir: cacheDir(), modelsDir, source: sourceOf(source), log: say });
    if (model.name === null) return say(`No local model yet: ${model.reason}`);
    const upstreamModel = model.name;
    const createdAt = Date.now();
    await store.catalogue.putPlugin({
      id: PLUGIN_ID,
      package: 'llama-cpp',
      settings: {},
      maxConcurrentTasks: 1,
      enabled: true,
      options: null,
      clonedFrom: null,
      packageDigest: null,
      files: null,
      createdAt,
    });
    const added: ModelRow = {
      id: source === undefined ? DEFAULT_MODEL_ID : modelId(upstreamModel),
      pluginId: PLUGIN_ID,
      upstreamModel,
      aliases: [],
      capabilities: ['chat', 'completions', 'embeddings'],
      modalities: ['text'],
      contextTokens: null,
      enabled: true,
      createdAt,
    };
    if (!(await store.catalogue.changeModel(added))) await store.catalogue.addModel(added);
  } catch (error) {
    say(`No local model yet: ${error instanceof Error ? error.message : String(error)}`);
    say('The server starts all the same. Add one later: npm start -- --model FILE_OR_URL');
  }
}

function sourceOf(source: string | undefined): { file?: string; url?: string } | undefined {
  if (source === undefined) return undefined;
  return /^(https?|hf):/.test(source) ? { url: source } : { file: path.resolve(source) };
}

function modelId(fileName: string): string {
  return fileName.replace(/\.gguf$/i, '').toLowerCase();
}
