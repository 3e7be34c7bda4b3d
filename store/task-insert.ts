/** The rows of a newly accepted task (spec A1): the task, its request body, its queue item and its response. */
import { insertRows, type InsertShape } from './insert';
import type { NewTask } from './records';
import type { Sql, Value } from './sql';

interface Rows extends InsertShape {
  readonly row: (task: NewTask) => readonly Value[];
}

/** Columns and their values side by side, so that neither can be moved without the other. */
function rowsOf(
  table: string,
  values: Readonly<Record<string, (task: NewTask) => Value>>,
  constants?: Readonly<Record<string, string>>,
): Rows {
  const getters = Object.values(values);
  return { table, columns: Object.keys(values), constants, row: (task) => getters.map((get) => get(task)) };
}

const taskRows = rowsOf(
  'tasks',
  {
    id: (task) => task.id,
    operation: (task) => task.operation,
    owner_kind: (task) => task.owner.kind,
    owner_id: (task) => task.owner.id,
    account_id: (task) => task.accountId,
    model: (task) => task.model,
    plan: (task) => JSON.stringify(task.plan),
    plugin_id: (task) => task.plan.find((entry) => entry.dropped === null)?.pluginId ?? null,
    priority: (task) => task.priority,
    stream: (task) => task.stream,
    background: (task) => task.background,
    request_id: (task) => task.requestId,
    accepted_at: (task) => task.acceptedAt,
    deadline_at: (task) => task.deadlineAt,
    updated_at: (task) => task.acceptedAt,
    incarnation: (task) => task.incarnation,
  },
  { state: `'queued'`, takeovers: '0', given: 'FALSE', bad_lines: '0' },
);

const requestRows = rowsOf('task_requests', { task_id: (task) => task.id, body: (task) => task.body });

const queueRows = rowsOf(
  'queue_items',
  { task_id: (task) => task.id, enqueued_at: (task) => task.acceptedAt, incarnation: (task) => task.incarnation },
  { fence: '0', attempts: '0', cancel_requested: 'FALSE' },
);

const responseRows = rowsOf('responses', {
  id: (task) => task.response?.id ?? null,
  task_id: (task) => task.id,
  account_id: (task) => task.accountId,
  previous_id: (task) => task.response?.previousId ?? null,
  context_items: (task) => task.response?.contextItems ?? 0,
  created_at: (task) => task.acceptedAt,
});

export async function insertTasks(sql: Sql, tasks: readonly NewTask[]): Promise<void> {
  for (const rows of [taskRows, requestRows, queueRows]) await insertRows(sql, rows, tasks.map(rows.row));
  const responses = tasks.filter(({ response }) => response);
  if (responses.length > 0) await insertRows(sql, responseRows, responses.map(responseRows.row));
}
