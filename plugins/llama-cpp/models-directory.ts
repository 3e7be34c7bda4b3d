import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UpstreamFailure, type DiscoveredModel } from '../adapter';
import { ggufFault } from './gguf-file';

/** The GGUF files of one directory; a model's name is its file's (S6: never a path). */
export class ModelsDirectory {
  constructor(private readonly directory: string) {}

  async list(): Promise<DiscoveredModel[]> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.directory)).filter(isModelName).sort();
    return names.map((upstreamModel) => ({
      upstreamModel,
      capabilities: ['chat', 'completions', 'embeddings'],
      modalities: ['text'],
      // Known once it is loaded: what it was trained on may be less than the setting.
      contextTokens: null,
    }));
  }

  /** @throws UpstreamFailure with status 404, or of kind `configuration` for a file that is no model */
  async find(name: string): Promise<string> {
    const file = path.join(this.directory, name);
    if (isModelName(name) && (await isFile(file))) {
      const fault = await ggufFault(file);
      if (fault === null) return file;
      throw new UpstreamFailure('configuration', `The model ${name} can't be loaded: ${fault}.`);
    }
    const message = `There is no model ${JSON.stringify(name.slice(0, 200))} in MODELS_DIR.`;
    throw new UpstreamFailure('status', message, {
      status: 404,
      body: JSON.stringify({
        error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
      }),
    });
  }
}

function isModelName(name: string): boolean {
  return /^[^/\\\0.][^/\\\0]{0,250}\.gguf$/i.test(name);
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
