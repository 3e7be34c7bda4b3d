/** Rows of `tasks` and `attempts` as they come from the database, and the records made of them. */
import type { TaskEntity } from './entities/task';
import type { AttemptEntity } from './entities/attempt';
import type { AttemptRecord, PlanEntry, TaskRecord, Usage } from './records';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** SQLite gives booleans as 0 and 1. */
type Cell<T> = T extends boolean ? boolean | 0 | 1 : T extends object ? string : T;

type RowOf<Entity> = { readonly [Name in keyof Entity & string as Snake<Name>]: Cell<Entity[Name]> };

export type TaskRow = RowOf<TaskEntity>;
export type AttemptRow = RowOf<AttemptEntity>;

export function toTask(row: TaskRow): TaskRecord {
  return {
    id: row.id,
    operation: row.operation,
    state: row.state,
    reason: row.reason,
    sentence: row.sentence,
    owner: { kind: row.owner_kind, id: row.owner_id },
    accountId: row.account_id,
    model: row.model,
    plan: JSON.parse(row.plan) as PlanEntry[],
    servedBy:
      row.served_model === null || row.served_plugin === null
        ? null
        : { modelId: row.served_model, pluginId: row.served_plugin },
    priority: row.priority,
    stream: Boolean(row.stream),
    background: Boolean(row.background),
    requestId: row.request_id,
    acceptedAt: row.accepted_at,
    deadlineAt: row.deadline_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    updatedAt: row.updated_at,
    incarnation: row.incarnation,
    takeovers: row.takeovers,
    cancelRequested:
      row.cancel_requested_at === null ? null : { at: row.cancel_requested_at, reason: row.cancel_reason ?? '' },
    given: Boolean(row.given),
    badLines: row.bad_lines,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    firstTokenMs: row.first_token_ms,
    queueMs: row.queue_ms,
  };
}

export function toAttempt(row: AttemptRow): AttemptRecord {
  return {
    taskId: row.task_id,
    number: row.number,
    fence: row.fence,
    target: { modelId: row.model_id, pluginId: row.plugin_id },
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    outcome: row.outcome,
    code: row.code,
    httpStatus: row.http_status,
    sentence: row.sentence,
    retryDelayMs: row.retry_delay_ms,
  };
}
