/** What the plugin and its worker process say to each other over node IPC (JSON). */
import type { BackendOperation } from '../../workflows/contract';

export interface WorkerSettings {
  /** Where node-llama-cpp is installed. */
  readonly runtimeDir: string;
  readonly contextSize: number;
  readonly threads: number;
  /** Stays free beside a model that computes on the CPU; null: a model that may not fit is loaded all the same. */
  readonly memoryMarginMib: number | null;
  readonly gpu: 'auto' | 'cuda' | 'vulkan' | 'metal' | 'off';
}

export interface WorkerCall {
  /** `load`: nothing but that the model is in memory after it. */
  readonly operation: BackendOperation | 'load';
  /** Absolute path of the GGUF file. */
  readonly file: string;
  /** The model's name, for the answer. */
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
}

export type ToWorker =
  | { readonly type: 'call'; readonly id: number; readonly call: WorkerCall }
  /** Ends the call within one token; it is answered with `failed` of kind `aborted`. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping'; readonly id: number };

export type FromWorker =
  /** node-llama-cpp is loaded; calls are welcome. */
  | { readonly type: 'ready' }
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'pong'; readonly id: number }
  /** The model in memory now. `loadMs`: what bringing it there took, the unloading of another one included. */
  | { readonly type: 'loaded'; readonly model: string; readonly loadMs: number }
  | { readonly type: 'unloaded' }
  /** One event of a stream. */
  | { readonly type: 'event'; readonly id: number; readonly data: string }
  /** The end of a call: the body, or null for a stream. */
  | { readonly type: 'done'; readonly id: number; readonly text: string | null }
  | { readonly type: 'failed'; readonly id: number; readonly failure: WorkerFailure };

export type WorkerFailure =
  | { readonly kind: 'aborted' }
  /** The model can't be loaded; no retry mends it. */
  | { readonly kind: 'configuration'; readonly message: string }
  | { readonly kind: 'status'; readonly status: number; readonly error: OpenAiError };

/** OpenAI's error object (contract 1). */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}
