/**
 * The words every rule is written in. Rules import nothing but each other, so the vocabulary that
 * workflows, store and activities share is defined here; `workflows/contract.ts` passes it on.
 */

/** What a request asks a backend to do. */
export type Operation = BackendOperation | 'messages';

/** Those that backends are asked for; Messages are a protocol of clients alone. */
export type BackendOperation = 'chat' | 'completions' | 'embeddings' | 'responses';

/** Where a task stands (spec J). */
export type TaskState = 'queued' | 'deferred' | 'running' | 'completed' | 'failed' | 'cancelled';

export const TERMINAL_STATES: readonly TaskState[] = ['completed', 'failed', 'cancelled'];

/** Classes of the ready queue (spec A6), most urgent first. */
export type Priority = 'high' | 'standard' | 'flex';

/** One concrete place that can serve a request. */
export interface Target {
  /** Catalogue id of the model. */
  readonly modelId: string;
  readonly pluginId: string;
}

/** What a failed call to a backend looked like, as far as a rule may care. */
export interface FailureFacts {
  readonly kind: 'transport' | 'timeout' | 'status' | 'malformed' | 'configuration' | 'oversized' | 'aborted';
  /** HTTP status, for kind `status`. */
  readonly status?: number;
}
