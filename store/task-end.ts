/** The writes that end an attempt and a task, shared by `finish`, `release` and `settle`. */
import { insertRows, type InsertShape } from './insert';
import type { AttemptEnd, Settlement } from './records';
import { giveBackSeats, type SeatColumns } from './seats';
import type { Sql } from './sql';
import { addUsage } from './usage';

const answers: InsertShape = { table: 'task_answers', columns: ['task_id', 'content_type', 'body'] };

export async function endAttempt(sql: Sql, taskId: string, number: number, end: AttemptEnd): Promise<void> {
  await sql.run(
    `UPDATE attempts SET outcome = $3, code = $4, http_status = $5, sentence = $6, retry_delay_ms = $7, finished_at = $8
     WHERE task_id = $1 AND number = $2`,
    [taskId, number, end.outcome, end.code, end.httpStatus, end.sentence, end.retryDelayMs, end.at],
  );
}

/** Ends the attempt that its own run can no longer end. */
export async function endAbandonedAttempt(
  sql: Sql,
  taskId: string,
  before: number,
  outcome: 'lost' | 'cancelled',
  at: number,
): Promise<void> {
  await sql.run(
    `UPDATE attempts SET outcome = $3, finished_at = $4
     WHERE task_id = $1 AND number < $2 AND outcome = 'running'`,
    [taskId, before, outcome, at],
  );
}

/** To be called by whoever has deleted the queue item, which happens once in a task's life. */
export async function endTask(sql: Sql, taskId: string, settlement: Settlement): Promise<void> {
  const { answer, servedBy, usage } = settlement;
  await sql.run(
    `UPDATE tasks SET state = $2, reason = $3, sentence = $4, served_model = $5, served_plugin = $6,
       given = given OR $7, bad_lines = $8, usage = $9, first_token_ms = $10, finished_at = $11, updated_at = $11
     WHERE id = $1`,
    [
      taskId,
      settlement.state,
      settlement.reason,
      settlement.sentence,
      servedBy?.modelId ?? null,
      servedBy?.pluginId ?? null,
      settlement.given,
      settlement.badLines,
      usage && JSON.stringify(usage),
      settlement.firstTokenMs,
      settlement.at,
    ],
  );
  await sql.run(
    `INSERT INTO ended_counts (state, n) VALUES ($1, 1) ON CONFLICT (state) DO UPDATE SET n = ended_counts.n + 1`,
    [settlement.state],
  );
  if (answer) await insertRows(sql, answers, [[taskId, answer.contentType, answer.text]]);
  await addUsage(sql, taskId, {
    state: settlement.state,
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    cachedTokens: usage?.cachedTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    at: settlement.at,
  });
}

/** What the deletion of a queue item tells of it. */
export interface EndedItem extends SeatColumns {
  readonly attempts: number;
}

/** The same, of a task that ends without its fence: its seats and an attempt that is still open are given up. */
export async function endUnheld(sql: Sql, taskId: string, item: EndedItem, settlement: Settlement): Promise<void> {
  const { attempts } = item;
  await giveBackSeats(sql, item);
  const outcome = settlement.state === 'cancelled' ? 'cancelled' : 'lost';
  if (attempts > 0) await endAbandonedAttempt(sql, taskId, attempts + 1, outcome, settlement.at);
  await endTask(sql, taskId, settlement);
}

export const settlementBytes = (settlement: Settlement): number =>
  1024 + (settlement.answer ? Buffer.byteLength(settlement.answer.text) : 0);
