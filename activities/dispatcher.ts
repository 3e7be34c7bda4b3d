/** What the API asks of the request path. */
import type { QueueItemView } from '../workflows/rules/ready-queue';
import type { NewTask } from '../store/records';
import type { DeliverySink } from './delivery';

export type AcceptRefusal =
  | { readonly code: 'insufficient_storage' | 'capacity_exceeded' | 'engine_unavailable' | 'shutting_down' | 'database_busy'; readonly message: string; readonly retryAfterSec?: number };

export interface Dispatcher {
  /**
   * A1: accepts (durably) and starts the request, delivering to `sink`. Resolves once accepted;
   * everything later reaches the sink. The returned `leave` is to be called when the client goes.
   */
  submit(
    task: Omit<NewTask, 'acceptedAt' | 'deadlineAt' | 'incarnation'> & { readonly clientTimeoutMs?: number },
    sink: DeliverySink | null,
  ): Promise<
    | { readonly kind: 'accepted'; readonly taskId: string; leave(): void }
    | { readonly kind: 'refused'; readonly refusal: AcceptRefusal }
    | { readonly kind: 'conflict' }
  >;
  /** Asks for the task's end; false: unknown or ended. */
  cancel(taskId: string, reason: string): Promise<boolean>;
  /** Where a waiting task stands in the ready queue, 0 = next. */
  position(taskId: string): number | null;
  snapshot(): { readonly capacity: number; readonly waiting: readonly QueueItemView[]; readonly running: number; readonly deferred: number };
}
