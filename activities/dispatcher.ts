/** What the API asks of the request path; `request-dispatcher.ts` does it. */
import type { NewTask } from '../store/records';
import type { QueueItemView } from '../workflows/rules/ready-queue';
import type { DeliverySink } from './delivery';
import type { VirtualRequest } from './runs';
import type { QueueStanding } from './scheduler';

export interface Submission extends Omit<NewTask, 'acceptedAt' | 'deadlineAt' | 'incarnation'> {
  readonly parsedBody: Readonly<Record<string, unknown>>;
  /** Null: the model is one of the catalogue. */
  readonly virtual: VirtualRequest | null;
  /** How long the client says it will wait, ms; absent: it does not say. */
  readonly clientTimeoutMs?: number;
}

/** A refusal before anything was accepted: no row exists (A2, A3). */
export interface AcceptRefusal {
  readonly code:
    | 'insufficient_storage'
    | 'request_memory_full'
    | 'capacity_exceeded'
    | 'engine_unavailable'
    | 'shutting_down'
    | 'database_busy';
  readonly message: string;
}

export type SubmitOutcome =
  | {
      readonly kind: 'accepted';
      /** Of the earlier task when an idempotent request joined one (A9). */
      readonly taskId: string;
      /** To be called when the client goes; harmless after the end. */
      readonly leave: () => void;
    }
  | { readonly kind: 'refused'; readonly refusal: AcceptRefusal }
  /** The idempotency key belongs to another body. */
  | { readonly kind: 'conflict' };

export interface QueueState {
  readonly capacity: number;
  readonly waiting: readonly QueueItemView[];
  readonly running: number;
  /** Waiting for a backoff or a cooldown: no slot, no queue place (B5). */
  readonly deferred: number;
}

export interface Dispatcher {
  /**
   * A1: accepts (durably) and starts the request, delivering to `sink`. Resolves once accepted;
   * everything later reaches the sink.
   */
  submit(submission: Submission, sink: DeliverySink | null): Promise<SubmitOutcome>;
  /**
   * F4: takes a plugin's waiting and running work away from it. A plain model's tasks end failed
   * `plugin_recovery`; a virtual model's that have given nothing go on with another member. Resolves
   * with their number once no call of theirs is left there.
   */
  purge(pluginId: string, reason: 'plugin_recovery'): Promise<number>;
  /** Asks for the task's end; false: unknown or ended. */
  cancel(taskId: string, reason: string): Promise<boolean>;
  /** Where a waiting task stands in the ready queue; null: it does not wait there. */
  standing(taskId: string): QueueStanding | null;
  snapshot(): QueueState;
  /** Running and waiting tasks of one plugin. */
  loadOf(pluginId: string): { readonly running: number; readonly waiting: number };
}
