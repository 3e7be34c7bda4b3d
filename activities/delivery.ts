/**
 * Delivery: the in-process rendezvous between an attempt and the client waiting for its answer.
 * The delivery owns the "client has been given something" boundary (spec C7, D6, K).
 *
 * An attempt writes; the API's HTTP handler is the sink. No sink: nobody waits here (a background
 * task, or a run that took over after a crash) and the answer is only stored.
 */
export interface TaskFailure {
  /** A code of the error catalogue (`api/errors.ts`). */
  readonly code: string;
  /** For a person; redacted. */
  readonly message: string;
  readonly param?: string | null;
  /** The status a backend gave, where it is passed through. */
  readonly status?: number;
  readonly retryAfterSec?: number;
}

/** The HTTP side of a delivery. Calls come in order; after `end` or `fail` nothing more comes. */
export interface DeliverySink {
  /** First call when an answer begins: which model and plugin serve it. */
  begin(servedBy: { readonly modelId: string; readonly pluginId: string }): void;
  /** One whole SSE event of the answer; resolves when the client can take more. */
  event(data: string, event: string | null): Promise<void>;
  /** A stream's regular end (the sink writes `[DONE]` where the protocol has it). */
  endStream(): void;
  /** A plain JSON answer. */
  json(text: string): void;
  fail(failure: TaskFailure): void;
}
