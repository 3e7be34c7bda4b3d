import type { Access } from './access';
import { fromCursor, toCursor } from './cursor';
import { InvalidCursor } from './errors';
import type { TaskRecord } from './records';
import type { Value } from './sql';
import type { Page, TaskFilter } from './store';
import { toTask, type TaskRow } from './task-rows';

const filterColumns = {
  state: 'state',
  ownerId: 'owner_id',
  accountId: 'account_id',
  pluginId: 'plugin_id',
  model: 'model',
} as const;

/** Newest first. */
export async function listTasks(access: Access, filter: TaskFilter): Promise<Page<TaskRecord>> {
  const values: Value[] = [];
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const conditions = Object.entries(filterColumns).flatMap(([name, column]) => {
    const wanted = filter[name as keyof typeof filterColumns];
    return wanted === undefined ? [] : [`${column} = ${parameter(wanted)}`];
  });
  if (filter.cursor !== undefined) {
    const { at, id } = fromCursor(filter.cursor);
    conditions.push(`(accepted_at, id) < (${parameter(at)}, ${parameter(id)})`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `SELECT * FROM tasks ${where} ORDER BY accepted_at DESC, id DESC LIMIT ${parameter(filter.limit + 1)}`;
  const rows = await access.read((sql) => sql.rows<TaskRow>(text, values));
  const data = rows.slice(0, filter.limit).map(toTask);
  const last = rows.length > filter.limit ? data.at(-1) : undefined;
  return { data, nextCursor: last ? toCursor({ at: last.acceptedAt, id: last.id }) : null };
}

/** Non-terminal tasks, oldest first: those that have a queue item. `after` is a task's id. */
export function listOpenTasks(access: Access, limit: number, after?: string): Promise<readonly TaskRecord[]> {
  return access.read(async (sql) => {
    const [start] = after === undefined ? [] : await sql.rows<TaskRow>('SELECT * FROM tasks WHERE id = $1', [after]);
    if (after !== undefined && !start) throw new InvalidCursor();
    const values = start ? [limit, start.accepted_at, start.id] : [limit];
    const rows = await sql.rows<TaskRow>(
      `SELECT tasks.* FROM queue_items JOIN tasks ON tasks.id = queue_items.task_id
       ${start ? 'WHERE (queue_items.enqueued_at, queue_items.task_id) > ($2, $3)' : ''}
       ORDER BY queue_items.enqueued_at, queue_items.task_id LIMIT $1`,
      values,
    );
    return rows.map(toTask);
  });
}
