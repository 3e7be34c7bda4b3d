/** The real model and one adapter over it, shared by the specs of a file. */
import { linkSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Adapter, AdapterCall, UpstreamFailure } from '../../plugins/adapter';
import { plugin } from '../../plugins/llama-cpp';
import { createAdapter } from '../../plugins/llama-cpp/adapter';
import { installRuntime, obtainModel } from '../../plugins/llama-cpp/install';
import { adapterOf, callOf, temporaryDirectory, type LogLine } from './adapter-fixture';
import { compileWorker } from './compiled-worker';

export const cacheDir = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'soai');
export const dataDir = temporaryDirectory();
export const modelsDir = path.join(dataDir, 'models');
export const log: LogLine[] = [];
/** Models brought into memory, and what each took, ms. */
export const loads: [string, number][] = [];
export const MINUTES = 60_000;

export let model = '';
export let adapter: Adapter;
export let compiled: ReturnType<typeof compileWorker>;

export function make(settings: Record<string, unknown> = {}, directory = dataDir): Adapter {
  const own = {
    ...plugin,
    create: (context: Parameters<typeof plugin.create>[0]) => createAdapter(context, compiled.script),
  };
  return adapterOf(own, { MODELS_DIR: modelsDir, ...settings }, { dataDir: directory, cacheDir, log, loads });
}

beforeAll(async () => {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await installRuntime({ cacheDir, log: say });
  const obtained = await obtainModel({ cacheDir, modelsDir, log: say });
  if (obtained.name === null) throw new Error(obtained.reason);
  model = obtained.name;
  linkSync(path.join(modelsDir, model), path.join(modelsDir, 'other.gguf'));
  compiled = compileWorker();
  adapter = make();
}, 20 * MINUTES);

afterAll(async () => {
  await adapter?.stop();
  compiled?.remove();
});

export const SLOW = { connectMs: 10_000, firstByteMs: 2 * MINUTES, idleMs: MINUTES };
export const exact = { temperature: 0, seed: 1 };

export function chat(body: Record<string, unknown> = {}, given: Partial<AdapterCall> = {}): AdapterCall {
  const messages = [{ role: 'user', content: 'What is the capital of France? Answer in one short sentence.' }];
  return callOf({
    model,
    deadlines: SLOW,
    body: { model: 'alias', messages, ...exact, ...(given.stream ? { stream: true } : {}), ...body },
    ...given,
  });
}

export interface ChatChunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; delta: { role?: string; content?: string }; finish_reason: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

export async function failure(work: Promise<unknown>): Promise<UpstreamFailure> {
  return work.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: UpstreamFailure) => error,
  );
}

export function workerPid(): number {
  const { pid } = JSON.parse(readFileSync(path.join(dataDir, 'worker.pid'), 'utf8')) as { pid: number };
  return pid;
}
