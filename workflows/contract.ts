/**
 * What crosses between the API process, the worker and Temporal: queue names, ids, payload types.
 *
 * Everything here ends up in workflow history, so it holds ids, codes, numbers and settings only,
 * never a prompt, an answer or a token (spec A8).
 */
import type { RetrySettings } from './rules/retry';
import type { Target, TaskState } from './rules/vocabulary';

/** The workflow type of one inference request; its workflow id is the task id. */
export const INFERENCE_WORKFLOW = 'inferenceRequest';

/** Each process polls a queue of its own, so that a request stays where its client is connected. */
export function processTaskQueue(incarnation: string): string {
  return `soai-process-${incarnation}`;
}

export {
  TERMINAL_STATES,
  type BackendOperation,
  type Operation,
  type Priority,
  type Target,
  type TaskState,
} from './rules/vocabulary';

export interface InferenceInput {
  readonly taskId: string;
  /** In the order in which they are to be tried. */
  readonly plan: readonly Target[];
  /** Milliseconds from the workflow's start after which no attempt may go on. */
  readonly budgetMs: number;
  readonly retry: RetrySettings;
  /** A virtual model's: each attempt chooses its member itself, and the plan is empty. Absent in old histories. */
  readonly virtual?: true;
}

export interface AttemptInput {
  readonly taskId: string;
  /** Null: the attempt chooses among the members of the request's virtual model. */
  readonly target: Target | null;
  /** True when no other target is left: the attempt ends the task instead of handing it back. */
  readonly last: boolean;
  readonly retry: RetrySettings;
}

/** How one `attempt` activity ended when it did not ask to be retried. */
export type AttemptResult =
  | { readonly kind: 'settled'; readonly state: TaskState; readonly reason: string | null }
  /** This target is spent, the client has been given nothing: try the next one. */
  | { readonly kind: 'next'; readonly reason: string };

/** The activities an inference workflow may call. */
export interface InferenceActivities {
  attempt(input: AttemptInput): Promise<AttemptResult>;
  /** Ends a task that the workflow can't take further; a no-op when it has already ended. */
  settle(input: {
    readonly taskId: string;
    readonly state: 'failed' | 'cancelled';
    readonly reason: string;
  }): Promise<void>;
}
