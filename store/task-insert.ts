/** The rows of a newly accepted task (spec A1): the task, its request body and its queue item. */
import { insertRows } from './insert';
import type { NewTask } from './records';
import type { Sql, Value } from './sql';

const taskColumns: Readonly<Record<string, (task: NewTask) => Value>> = {
  id: (task) => task.id,
  operation: (task) => task.operation,
  state: () => 'queued',
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
  takeovers: () => 0,
  given: () => false,
  bad_lines: () => 0,
};

const queueItemColumns: Readonly<Record<string, (task: NewTask) => Value>> = {
  task_id: (task) => task.id,
  enqueued_at: (task) => task.acceptedAt,
  incarnation: (task) => task.incarnation,
  fence: () => 0,
  attempts: () => 0,
  cancel_requested: () => false,
};

const requestColumns: Readonly<Record<string, (task: NewTask) => Value>> = {
  task_id: (task) => task.id,
  body: (task) => task.body,
};

export async function insertTasks(sql: Sql, tasks: readonly NewTask[]): Promise<void> {
  const insert = (table: string, columns: Readonly<Record<string, (task: NewTask) => Value>>): Promise<void> => {
    const values = Object.values(columns);
    const rows = tasks.map((task) => values.map((value) => value(task)));
    return insertRows(sql, table, Object.keys(columns), rows);
  };
  await insert('tasks', taskColumns);
  await insert('task_requests', requestColumns);
  await insert('queue_items', queueItemColumns);
}
