/**
 * Leases over queue items (spec C1). Each decision is one conditional statement over the item's
 * row, so two processes can't both take it; the fence tells a late writer that it lost.
 */
import type { Access } from './access';
import { insertRows, type InsertShape } from './insert';
import type { SeatScope } from './records';
import { giveBackSeats, recountSeats, seatColumns, takeSeats } from './seats';
import type { Queue } from './store';
import { endAbandonedAttempt, endAttempt, endTask, endUnheld, settlementBytes, type EndedItem } from './task-end';
import { toTask, type TaskRow } from './task-rows';

/** After how long without a heartbeat a process counts as dead: the default lease, ms. */
const defaultStaleProcessMs = 30_000;

const openedAttempts: InsertShape = {
  table: 'attempts',
  columns: ['task_id', 'number', 'fence', 'model_id', 'plugin_id', 'started_at'],
  constants: { outcome: `'running'` },
};

/**
 * Nobody is running it and nobody is going to: its lease has expired, its holder has said that it
 * stopped, or it waits for a process that is gone.
 */
const abandoned = (now: string, staleBefore: string): string => `(
  CASE WHEN item.holder IS NOT NULL
    THEN item.lease_until <= ${now} OR EXISTS (
      SELECT 1 FROM processes WHERE incarnation = item.holder AND stopped_at IS NOT NULL)
    ELSE NOT EXISTS (
      SELECT 1 FROM processes
      WHERE incarnation = item.incarnation AND stopped_at IS NULL AND heartbeat_at >= ${staleBefore})
  END)`;

export const queueOver = (access: Access): Queue => ({
  claim: (taskId, target, holder, now, leaseMs, seats = []) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      if (seats.length > 0) await takeSeats(sql, taskId, seats);
      const seatOf = (scope: SeatScope): string | null => seats.find((seat) => seat.scope === scope)?.id ?? null;
      const [claim] = await sql.rows<{ fence: number; attempt: number }>(
        `UPDATE queue_items SET holder = $2, lease_until = $3, fence = fence + 1, attempts = attempts + 1,
           plugin_seat = $4, owner_seat = $5
         WHERE task_id = $1 AND incarnation = $2 AND NOT cancel_requested
         RETURNING fence, attempts AS attempt`,
        [taskId, holder, now + leaseMs, seatOf('plugin'), seatOf('owner')],
      );
      if (!claim) {
        const unused = { holder, plugin_seat: seatOf('plugin'), owner_seat: seatOf('owner') };
        await giveBackSeats(sql, unused);
        return null;
      }
      if (claim.attempt > 1) await endAbandonedAttempt(sql, taskId, claim.attempt, 'lost', now);
      await insertRows(sql, openedAttempts, [
        [taskId, claim.attempt, claim.fence, target.modelId, target.pluginId, now],
      ]);
      await sql.run(
        `UPDATE tasks SET state = 'running', reason = NULL, plugin_id = $2, updated_at = $3,
           started_at = COALESCE(started_at, $3), queue_ms = COALESCE(queue_ms, $3 - accepted_at)
         WHERE id = $1`,
        [taskId, target.pluginId, now],
      );
      return { fence: claim.fence, attempt: claim.attempt };
    }),

  renew: (holder, taskIds, now, leaseMs) =>
    access.write(async (sql) => {
      // An expired lease that nobody took is still the holder's: a paused process may go on.
      const held = await sql.rows<{ task_id: string }>(
        `UPDATE queue_items SET lease_until = $1
         WHERE holder = $2 AND task_id IN (${sql.dialect.textList('$3')}) RETURNING task_id`,
        [now + leaseMs, holder, JSON.stringify(taskIds)],
      );
      return held.map((item) => item.task_id);
    }),

  release: (taskId, fence, end) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      const [item] = await sql.rows<{ attempts: number; plugin_seat: string | null; owner_seat: string | null }>(
        `UPDATE queue_items SET holder = NULL, lease_until = NULL
         WHERE task_id = $1 AND fence = $2 AND holder IS NOT NULL RETURNING attempts, plugin_seat, owner_seat`,
        [taskId, fence],
      );
      if (!item) return false;
      await giveBackSeats(sql, { ...item, holder: 'the one of this fence' });
      await endAttempt(sql, taskId, item.attempts, end);
      await sql.run(`UPDATE tasks SET state = 'queued', updated_at = $2 WHERE id = $1`, [taskId, end.at]);
      return true;
    }),

  finish: (taskId, fence, end, settlement) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      const [item] = await sql.rows<EndedItem>(
        `DELETE FROM queue_items WHERE task_id = $1 AND fence = $2 AND holder IS NOT NULL
         RETURNING attempts, ${seatColumns}`,
        [taskId, fence],
      );
      if (!item) return false;
      await giveBackSeats(sql, item);
      await endAttempt(sql, taskId, item.attempts, end);
      await endTask(sql, taskId, settlement);
      return true;
    }, settlementBytes(settlement)),

  standing: (incarnation, taskIds) =>
    access.read(async (sql) => {
      const items = await sql.rows<{ task_id: string; cancel_requested: boolean | 0 | 1 }>(
        `SELECT task_id, cancel_requested FROM queue_items
         WHERE incarnation = $1 AND task_id IN (${sql.dialect.textList('$2')})`,
        [incarnation, JSON.stringify(taskIds)],
      );
      return new Map(items.map((item) => [item.task_id, { cancelRequested: Boolean(item.cancel_requested) }]));
    }),

  orphans: (now, limit, staleProcessMs = defaultStaleProcessMs) =>
    access.read(async (sql) => {
      const rows = await sql.rows<TaskRow>(
        `SELECT tasks.* FROM queue_items AS item JOIN tasks ON tasks.id = item.task_id
         WHERE ${abandoned('$1', '$2')} ORDER BY item.enqueued_at, item.task_id LIMIT $3`,
        [now, now - staleProcessMs, limit],
      );
      return rows.map(toTask);
    }),

  endOrphan: (taskId, settlement, now, staleProcessMs = defaultStaleProcessMs) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      const [item] = await sql.rows<EndedItem>(
        `DELETE FROM queue_items AS item WHERE task_id = $1 AND ${abandoned('$2', '$3')}
         RETURNING attempts, ${seatColumns}`,
        [taskId, now, now - staleProcessMs],
      );
      if (!item) return false;
      await endUnheld(sql, taskId, item, settlement);
      return true;
    }, settlementBytes(settlement)),

  takeOver: (taskId, incarnation, now, staleProcessMs = defaultStaleProcessMs) =>
    access.write(async (sql) => {
      await sql.dialect.lock(sql, 'counters');
      // The dead holder stays in the row until the next statement, to be told from a task that only waited.
      const [item] = await sql.rows<EndedItem>(
        `UPDATE queue_items AS item SET incarnation = $2, fence = fence + 1
         WHERE task_id = $1 AND ${abandoned('$3', '$4')} RETURNING attempts, ${seatColumns}`,
        [taskId, incarnation, now, now - staleProcessMs],
      );
      if (!item) return false;
      await giveBackSeats(sql, item);
      await sql.run('UPDATE queue_items SET holder = NULL, lease_until = NULL WHERE task_id = $1', [taskId]);
      if (item.attempts > 0) await endAbandonedAttempt(sql, taskId, item.attempts + 1, 'lost', now);
      await sql.run(
        `UPDATE tasks SET state = 'queued', reason = NULL, incarnation = $2, takeovers = takeovers + $4, updated_at = $3
         WHERE id = $1`,
        [taskId, incarnation, now, item.holder === null ? 0 : 1],
      );
      return true;
    }),

  recountSeats: () => access.write(recountSeats),
});
