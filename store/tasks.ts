import { TERMINAL_STATES, type TaskState } from '../workflows/contract';
import { accept } from './acceptance';
import type { Access } from './access';
import type { Answer, TaskRecord } from './records';
import { seatColumns } from './seats';
import type { Sql } from './sql';
import type { Tasks } from './store';
import { endUnheld, settlementBytes, type EndedItem } from './task-end';
import { listOpenTasks, listTasks } from './task-list';
import { toAttempt, toTask, type AttemptRow, type TaskRow } from './task-rows';

const active = `state NOT IN (${TERMINAL_STATES.map((state) => `'${state}'`).join(', ')})`;

async function byId(sql: Sql, id: string): Promise<TaskRecord | null> {
  const [row] = await sql.rows<TaskRow>('SELECT * FROM tasks WHERE id = $1', [id]);
  return row ? toTask(row) : null;
}

export const tasksOver = (access: Access): Tasks => ({
  accept: (task, hardLimit) => accept(access, task, hardLimit),

  get: (id) => access.read((sql) => byId(sql, id)),

  list: (filter) => listTasks(access, filter),

  open: (limit, after) => listOpenTasks(access, limit, after),

  requestBody: (id) =>
    access.read(async (sql) => {
      const [row] = await sql.rows<{ body: string }>('SELECT body FROM task_requests WHERE task_id = $1', [id]);
      return row?.body ?? null;
    }),

  answer: (id) =>
    access.read(async (sql) => {
      const [answer] = await sql.rows<Answer>(
        'SELECT content_type AS "contentType", body AS "text" FROM task_answers WHERE task_id = $1',
        [id],
      );
      return answer ?? null;
    }),

  attempts: (id) =>
    access.read(async (sql) =>
      (await sql.rows<AttemptRow>('SELECT * FROM attempts WHERE task_id = $1 ORDER BY number', [id])).map(toAttempt),
    ),

  requestCancel: (id, reason, at) =>
    access.write(async (sql) => {
      // The queue item's mark is what a claim looks at; the first reason stays.
      const marked = await sql.run(
        'UPDATE queue_items SET cancel_requested = TRUE WHERE task_id = $1 AND NOT cancel_requested',
        [id],
      );
      if (marked > 0) {
        await sql.run('UPDATE tasks SET cancel_requested_at = $2, cancel_reason = $3, updated_at = $2 WHERE id = $1', [
          id,
          at,
          reason,
        ]);
      }
      return byId(sql, id);
    }),

  setWaiting: (id, state, reason, at) =>
    access.write(async (sql) => {
      await sql.run(`UPDATE tasks SET state = $2, reason = $3, updated_at = $4 WHERE id = $1 AND ${active}`, [
        id,
        state,
        reason,
        at,
      ]);
    }),

  setPlan: (id, plan, at) =>
    access.write(async (sql) => {
      await sql.run(`UPDATE tasks SET plan = $2, updated_at = $3 WHERE id = $1 AND ${active}`, [
        id,
        JSON.stringify(plan),
        at,
      ]);
    }),

  markGiven: (id, at) =>
    access.write(async (sql) => {
      await sql.run('UPDATE tasks SET given = TRUE, updated_at = $2 WHERE id = $1 AND NOT given', [id, at]);
    }),

  settle: (id, incarnation, settlement) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      const [item] = await sql.rows<EndedItem>(
        `DELETE FROM queue_items WHERE task_id = $1 AND incarnation = $2 RETURNING attempts, ${seatColumns}`,
        [id, incarnation],
      );
      if (!item) return false;
      await endUnheld(sql, id, item, settlement);
      return true;
    }, settlementBytes(settlement)),

  countByState: () =>
    access.read(async (sql) => {
      const counts: Record<TaskState, number> = {
        queued: 0,
        deferred: 0,
        running: 0,
        completed: 0,
        failed: 0,
        cancelled: 0,
      };
      // Open tasks are few: they are those with a queue item, which SQLite's CROSS JOIN goes through first.
      // Of the ended there may be millions.
      const rows = await sql.rows<{ state: TaskState; count: number }>(
        `SELECT tasks.state AS state, count(*) AS count
         FROM queue_items CROSS JOIN tasks WHERE tasks.id = queue_items.task_id GROUP BY tasks.state
         UNION ALL SELECT state, n AS count FROM ended_counts`,
      );
      for (const { state, count } of rows) counts[state] += count;
      return counts;
    }),

  unbindIdempotency: (id) =>
    access.write(async (sql) => {
      await sql.run('DELETE FROM idempotency_keys WHERE task_id = $1', [id]);
    }),

  forgetExpiredKeys: (now) =>
    access.write((sql) => sql.run('DELETE FROM idempotency_keys WHERE expires_at <= $1', [now])),
});
