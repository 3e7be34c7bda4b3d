/**
 * What crosses between the API process, the worker and Temporal: queue names, ids, payload types.
 *
 * Everything here ends up in workflow history, so it holds ids, codes, numbers and settings only,
 * never a prompt, an answer or a token (spec A8).
 */
import type { BreakerSettings, Transition } from './rules/breaker';
import type { BreakerJournal, NumberedEvent } from './rules/breaker-journal';
import type { Ailment, GuardianEvent, GuardianNote, GuardianSettings, GuardianState } from './rules/guardian';
import type { CheckSettings } from './rules/guardian-check';
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

/** Breakers and guardians run here: any living process carries them on. */
export const CONTROL_TASK_QUEUE = 'soai-control';

/** What touches a backend on a host runs in a process of that host. */
export function nodeTaskQueue(host: string): string {
  return `soai-node-${host}`;
}

/** The workflow type of a plugin's dispatch circuit (spec E). */
export const BREAKER_WORKFLOW = 'circuitBreaker';

export function breakerWorkflowId(pluginId: string): string {
  return `circuit:${pluginId}`;
}

export interface BreakerInput {
  readonly pluginId: string;
  readonly settings: BreakerSettings;
  /** E4: how long a changed count may wait until it is written, ms. */
  readonly persistMs: number;
  readonly journal: BreakerJournal;
}

/** An update of a breaker workflow: takes what one process has to report, answers with the new state. */
export const REPORT_TO_BREAKER = 'report';

export interface BreakerReport {
  /** The incarnation of the process that numbered the events. */
  readonly source: string;
  readonly events: readonly NumberedEvent[];
}

export interface CircuitPublication {
  readonly pluginId: string;
  readonly journal: BreakerJournal;
  readonly transitions: readonly Transition[];
}

/** The workflow type of a plugin's guardian (spec F). */
export const GUARDIAN_WORKFLOW = 'pluginGuardian';

export function guardianWorkflowId(pluginId: string): string {
  return `guardian:${pluginId}`;
}

export interface GuardianInput {
  readonly pluginId: string;
  /** Where a process can reach its backend. */
  readonly taskQueue: string;
  readonly settings: GuardianSettings;
  readonly watch: WatchSettings;
  readonly state: GuardianState;
}

export interface WatchSettings extends CheckSettings {
  readonly intervalMs: number;
  readonly pingTimeoutMs: number;
}

/** An update of a guardian workflow; answers with the new state. */
export const TELL_GUARDIAN = 'tell';

export type GuardianCommand = Extract<
  GuardianEvent,
  { readonly type: 'circuit_reset' | 'quarantined' | 'quarantine_cleared' }
>;

export interface WatchInput {
  readonly pluginId: string;
  readonly watch: WatchSettings;
  /** A successful ping of a plugin that was well is no news. */
  readonly wasHealthy: boolean;
}

export type WatchFinding =
  | { readonly kind: 'healthy'; readonly at: number }
  | { readonly kind: 'unhealthy'; readonly at: number; readonly ailment: Ailment }
  /** Nothing happened for as long as one watch lasts. */
  | { readonly kind: 'unchanged' }
  /** There is no such plugin any more. */
  | { readonly kind: 'gone' };

export interface RecoveryInput {
  readonly pluginId: string;
  readonly attempt: number;
  readonly ailment: Ailment;
  readonly pingTimeoutMs: number;
}

/** The activities of breakers and guardians. */
export interface ControlActivities {
  publishCircuit(publication: CircuitPublication): Promise<void>;
  publishGuardian(publication: {
    readonly pluginId: string;
    readonly state: GuardianState;
    readonly notes: readonly GuardianNote[];
  }): Promise<void>;
  /** F1: looks at the plugin again and again; returns only when it found something new. */
  watchPlugin(input: WatchInput): Promise<WatchFinding>;
  /** F4: purges its work, then revalidates or restarts it. `healthyAt`: when it answered; null: it did not. */
  recoverPlugin(input: RecoveryInput): Promise<{ readonly healthyAt: number | null }>;
  /** F3: stops it where the runtime needs that, trips its circuit and quarantines it. */
  quarantinePlugin(input: {
    readonly pluginId: string;
    readonly attempts: number;
    readonly ailment: Ailment;
  }): Promise<void>;
}
