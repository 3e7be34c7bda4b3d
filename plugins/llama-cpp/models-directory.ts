import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { UpstreamFailure, type DiscoveredModel, type ModelFile } from '../adapter';
import { ggufFault } from './gguf-file';
import type { GgufMetadata } from './gguf-metadata';
import { readGguf } from './read-gguf';

/** The GGUF files of one directory; a model's name is its file's (S6: never a path). */
export class ModelsDirectory {
  /** By name, with the size and time that the metadata belongs to. */
  private readonly read = new Map<string, { readonly of: string; readonly found: GgufMetadata | { fault: string } }>();

  constructor(
    readonly directory: string,
    /** Longest prompt and answer together, as the settings have it. */
    private readonly contextSize: number,
  ) {}

  async list(): Promise<DiscoveredModel[]> {
    const loadable = (await this.files()).filter(({ file }) => file.fault === null);
    return loadable.map(({ file, metadata }) => ({
      upstreamModel: file.name,
      capabilities: capabilitiesOf(metadata),
      modalities: ['text'],
      contextTokens: file.contextTokens && Math.min(file.contextTokens, this.contextSize),
    }));
  }

  async describe(): Promise<ModelFile[]> {
    return (await this.files()).map(({ file }) => file);
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

  /** False: there is none of that name. */
  async remove(name: string): Promise<boolean> {
    const file = path.join(this.directory, name);
    if (!isModelName(name) || !(await isFile(file))) return false;
    await rm(file);
    this.read.delete(name);
    return true;
  }

  private async files(): Promise<{ file: ModelFile; metadata: GgufMetadata | null }[]> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.directory)).filter(isModelName).sort();
    const described = [];
    for (const name of names) {
      const one = await this.describeOne(name);
      if (one) described.push(one);
    }
    return described;
  }

  /** Null when it went away meanwhile, or is no file. */
  private async describeOne(name: string): Promise<{ file: ModelFile; metadata: GgufMetadata | null } | null> {
    const place = path.join(this.directory, name);
    const facts = await stat(place).catch(() => null);
    if (!facts?.isFile()) return null;
    const of = `${facts.size}@${facts.mtimeMs}`;
    let known = this.read.get(name);
    if (known?.of !== of) {
      known = { of, found: await readGguf(place) };
      this.read.set(name, known);
    }
    const metadata = 'fault' in known.found ? null : known.found;
    const file: ModelFile = {
      name,
      sizeBytes: facts.size,
      modifiedAt: Math.floor(facts.mtimeMs),
      fault: 'fault' in known.found ? known.found.fault : null,
      architecture: metadata?.architecture ?? null,
      quantisation: metadata?.quantisation ?? null,
      parameters: metadata?.parameters ?? null,
      contextTokens: metadata?.contextTokens ?? null,
      hasChatTemplate: metadata?.hasChatTemplate ?? false,
    };
    return { file, metadata };
  }
}

export function isModelName(name: string): boolean {
  return /^[^/\\\0.][^/\\\0]{0,250}\.gguf$/i.test(name);
}

/** An encoder only gives vectors; a model without a chat template was not trained to talk. */
function capabilitiesOf(metadata: GgufMetadata | null): string[] {
  if (metadata?.isEncoder) return ['embeddings'];
  return metadata?.hasChatTemplate === false ? ['completions', 'embeddings'] : ['chat', 'completions', 'embeddings'];
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
