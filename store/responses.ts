/** Stored responses and the events of background streams (contract 5, spec K "Background streams"). */
import type { Access } from './access';
import { insertRows, type InsertShape } from './insert';
import type { ResponseRecord } from './records';
import type { Responses } from './store';

const batches: InsertShape = {
  table: 'response_events',
  columns: ['task_id', 'first_sequence', 'last_sequence', 'attempt', 'events'],
};

interface ResponseRow {
  readonly id: string;
  readonly task_id: string;
  readonly account_id: string;
  readonly previous_id: string | null;
  readonly context_items: number;
  readonly created_at: number;
}

interface BatchRow {
  readonly attempt: number;
  readonly first_sequence: number;
  readonly events: string;
}

export const responsesOver = (access: Access): Responses => ({
  get: (id) =>
    access.read(async (sql) => {
      const [row] = await sql.rows<ResponseRow>('SELECT * FROM responses WHERE id = $1', [id]);
      return row ? toRecord(row) : null;
    }),

  erase: (id) =>
    access.write(async (sql) => {
      const [row] = await sql.rows<{ task_id: string }>('DELETE FROM responses WHERE id = $1 RETURNING task_id', [id]);
      if (!row) return false;
      for (const table of ['response_events', 'task_requests', 'task_answers']) {
        await sql.run(`DELETE FROM ${table} WHERE task_id = $1`, [row.task_id]);
      }
      return true;
    }),

  append: (taskId, { attempt, first, events }) => {
    const text = JSON.stringify(events);
    return access.write(
      (sql) => insertRows(sql, batches, [[taskId, first, first + events.length - 1, attempt, text]]),
      Buffer.byteLength(text),
    );
  },

  lastAttempt: (taskId) =>
    access.read(async (sql) => {
      const [row] = await sql.rows<{ attempt: number; first: number; last: number }>(
        `SELECT attempt, min(first_sequence) AS "first", max(last_sequence) AS "last" FROM response_events
         WHERE task_id = $1 GROUP BY attempt ORDER BY attempt DESC LIMIT 1`,
        [taskId],
      );
      return row ? { attempt: row.attempt, first: row.first, next: row.last + 1 } : null;
    }),

  events: (taskId, after, limit) =>
    access.read(async (sql) => {
      const rows = await sql.rows<BatchRow>(
        `SELECT attempt, first_sequence, events FROM response_events
         WHERE task_id = $1 AND last_sequence > $2 ORDER BY first_sequence LIMIT $3`,
        [taskId, after, limit],
      );
      return rows.flatMap(({ attempt, first_sequence: first, events }) =>
        (JSON.parse(events) as [string | null, string][])
          .map(([event, data], at) => ({ attempt, sequence: first + at, event, data }))
          .filter(({ sequence }) => sequence > after),
      );
    }),
});

function toRecord(row: ResponseRow): ResponseRecord {
  return {
    id: row.id,
    taskId: row.task_id,
    accountId: row.account_id,
    previousId: row.previous_id,
    contextItems: row.context_items,
    createdAt: row.created_at,
  };
}
