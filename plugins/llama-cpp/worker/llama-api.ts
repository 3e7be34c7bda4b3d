/**
 * The part of node-llama-cpp that the worker uses. Its own types can't be imported: the package is
 * installed on demand, outside the root node_modules.
 */
export interface LlamaApi {
  getLlama(options: {
    gpu: 'auto' | 'cuda' | 'vulkan' | 'metal' | false;
    build: 'never';
    skipDownload: true;
    progressLogs: false;
    maxThreads: number;
    logLevel: 'warn';
  }): Promise<Llama>;
  LlamaChat: new (options: { contextSequence: Sequence }) => Chat;
  LlamaCompletion: new (options: { contextSequence: Sequence }) => Completion;
}

export interface Llama {
  readonly gpu: string | false;
  loadModel(options: {
    modelPath: string;
    gpuLayers: { fitContext: { contextSize: number } };
    loadSignal: AbortSignal;
  }): Promise<Model>;
}

export type Token = number;
export type Tokenizer = unknown;

export interface Model {
  readonly tokenizer: Tokenizer;
  readonly tokens: { readonly bos: Token | null };
  tokenize(text: string): Token[];
  createContext(options: { contextSize: { max: number }; threads: number; sequences: 1 }): Promise<Context>;
  createEmbeddingContext(options: { contextSize: { max: number }; threads: number }): Promise<EmbeddingContext>;
  dispose(): Promise<void>;
}

export type Sequence = object;

export interface Context {
  readonly contextSize: number;
  getSequence(): Sequence;
}

export interface EmbeddingContext {
  calculateInputLength(input: string | Token[]): number;
  getEmbeddingFor(input: string | Token[]): Promise<{ readonly vector: readonly number[] }>;
}

export type ChatHistoryItem =
  | { readonly type: 'system'; readonly text: string }
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly string[] };

export interface Sampling {
  readonly temperature: number;
  readonly topP: number | undefined;
  readonly seed: number | undefined;
  readonly customStopTriggers: readonly string[];
  readonly repeatPenalty: { readonly frequencyPenalty?: number; readonly presencePenalty?: number };
}

export interface GenerationEnd {
  readonly metadata: {
    readonly stopReason:
      'abort' | 'maxTokens' | 'eogToken' | 'stopGenerationTrigger' | 'customStopTrigger' | 'functionCalls';
  };
}

export interface Chat {
  readonly chatWrapper: {
    generateContextState(options: { chatHistory: readonly ChatHistoryItem[] }): {
      readonly contextText: { tokenize(tokenizer: Tokenizer): Token[] };
    };
  };
  generateResponse(
    history: readonly ChatHistoryItem[],
    options: Sampling & {
      readonly maxTokens: number;
      readonly signal: AbortSignal;
      readonly contextShift: { readonly size: number };
      onResponseChunk(chunk: {
        readonly type: 'segment' | undefined;
        readonly segmentType: string | undefined;
        readonly text: string;
        readonly tokens: readonly Token[];
      }): void;
    },
  ): Promise<GenerationEnd>;
}

export interface Completion {
  generateCompletionWithMeta(
    input: string,
    options: Sampling & {
      readonly maxTokens: number;
      readonly signal: AbortSignal;
      readonly contextShiftSize: number;
      onTextChunk(text: string): void;
      onToken(tokens: readonly Token[]): void;
    },
  ): Promise<GenerationEnd>;
}
