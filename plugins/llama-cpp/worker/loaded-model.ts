import { stat } from 'node:fs/promises';
import { memoryRefusal } from '../memory-estimate';
import type { WorkerSettings } from '../protocol';
import { readGguf } from '../read-gguf';
import { freeMemory } from './free-memory';
import type { Chat, Completion, EmbeddingContext, Llama, LlamaApi, Token, Tokenizer } from './llama-api';

export interface LoadedModel {
  readonly file: string;
  readonly contextSize: number;
  readonly tokenizer: Tokenizer;
  readonly chat: Chat;
  readonly completion: Completion;
  tokenize(this: void, text: string): Token[];
  /** Made at first use: many models are never asked for it. */
  embedding(): Promise<{ readonly context: EmbeddingContext; readonly contextSize: number }>;
  unload(): Promise<void>;
}

/** Loads a model with one context for one answer at a time. */
export async function loadModel(
  api: LlamaApi,
  llama: Llama,
  settings: WorkerSettings,
  file: string,
  signal: AbortSignal,
): Promise<LoadedModel> {
  const { contextSize: wanted, threads } = settings;
  if (llama.gpu === false) await refuseTooLarge(file, settings);
  const model = await llama.loadModel({
    modelPath: file,
    gpuLayers: { fitContext: { contextSize: wanted } },
    loadSignal: signal,
  });
  try {
    const context = await model.createContext({ contextSize: { max: wanted }, threads, sequences: 1 });
    const contextSequence = context.getSequence();
    const { contextSize } = context;
    let embedding: Promise<EmbeddingContext> | null = null;
    return {
      file,
      contextSize,
      tokenizer: model.tokenizer,
      chat: new api.LlamaChat({ contextSequence }),
      completion: new api.LlamaCompletion({ contextSequence }),
      tokenize: (text) => model.tokenize(text),
      async embedding() {
        embedding ??= model.createEmbeddingContext({ contextSize: { max: contextSize }, threads });
        return { context: await embedding, contextSize };
      },
      unload: () => model.dispose(),
    };
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

/** Before the engine takes it: the system's own answer to too large a model is to kill a process. With a GPU the engine knows. */
async function refuseTooLarge(file: string, { contextSize, memoryMarginMib }: WorkerSettings): Promise<void> {
  if (memoryMarginMib === null) return;
  const [{ size }, found] = await Promise.all([stat(file), readGguf(file)]);
  const metadata = 'fault' in found ? null : found;
  const need = { fileBytes: size, metadata, contextTokens: contextSize };
  const refusal = memoryRefusal(need, freeMemory(), memoryMarginMib * 1024 ** 2);
  if (refusal !== null) throw new Error(refusal);
}
