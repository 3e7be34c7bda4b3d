/** Accepting a task: spec A1 (all its rows or none), A3 (hard limit), A9 (idempotency keys). */
import type { Access } from './access';
import type { Batch } from './group-commit';
import type { AcceptOutcome, NewTask } from './records';
import type { Sql } from './sql';
import { insertTasks } from './task-insert';

interface Acceptance {
  readonly task: NewTask;
  readonly hardLimit: number;
}

type Binding = NonNullable<NewTask['idempotency']>;

export function accept(access: Access, task: NewTask, hardLimit: number): Promise<AcceptOutcome> {
  // The rows and indexes around the body.
  const bytes = Buffer.byteLength(task.body) + 2048;
  const { idempotency } = task;
  return idempotency
    ? access.write((sql) => acceptOnce(sql, { task, hardLimit }, idempotency), bytes)
    : access.writeTogether(acceptTogether, { task, hardLimit }, bytes);
}

const acceptTogether: Batch<Acceptance, AcceptOutcome> = {
  run: async (sql, items) => {
    let open = items.some(({ hardLimit }) => hardLimit > 0) ? await openTasks(sql) : 0;
    const accepted: NewTask[] = [];
    const outcomes = items.map(({ task, hardLimit }): AcceptOutcome => {
      if (hardLimit > 0 && open >= hardLimit) return { kind: 'capacity_exceeded' };
      open += 1;
      accepted.push(task);
      return { kind: 'accepted' };
    });
    if (accepted.length > 0) await insertTasks(sql, accepted);
    return outcomes;
  },
};

/**
 * A duplicate is answered even when the limit is reached, and a refusal binds nothing. The binding
 * is taken before the rows are written, so of two processes with one key exactly one writes any.
 */
async function acceptOnce(sql: Sql, { task, hardLimit }: Acceptance, binding: Binding): Promise<AcceptOutcome> {
  const bound = await duplicateOf(sql, task, binding);
  if (bound) return bound;
  if (hardLimit > 0 && (await openTasks(sql)) >= hardLimit) return { kind: 'capacity_exceeded' };
  const won = await sql.run(
    `INSERT INTO idempotency_keys (owner_id, route, key, task_id, body_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (owner_id, route, key) DO UPDATE
       SET task_id = excluded.task_id, body_hash = excluded.body_hash, expires_at = excluded.expires_at
       WHERE idempotency_keys.expires_at <= $7`,
    [task.owner.id, binding.route, binding.key, task.id, binding.bodyHash, binding.expiresAt, task.acceptedAt],
  );
  if (won === 0) {
    const winner = await duplicateOf(sql, task, binding);
    if (winner) return winner;
    throw new Error(`the idempotency key of task ${task.id} is neither free nor bound`);
  }
  await insertTasks(sql, [task]);
  return { kind: 'accepted' };
}

async function duplicateOf(sql: Sql, task: NewTask, binding: Binding): Promise<AcceptOutcome | null> {
  const [bound] = await sql.rows<{ task_id: string; body_hash: string }>(
    `SELECT task_id, body_hash FROM idempotency_keys
     WHERE owner_id = $1 AND route = $2 AND key = $3 AND expires_at > $4`,
    [task.owner.id, binding.route, binding.key, task.acceptedAt],
  );
  return bound ? { kind: 'duplicate', taskId: bound.task_id, sameBody: bound.body_hash === binding.bodyHash } : null;
}

/**
 * Non-terminal tasks, exactly: until the transaction ends nobody else can add one. A count over the
 * small queue table (0.4 ms at 100,000) rather than a counter that could drift from it.
 */
async function openTasks(sql: Sql): Promise<number> {
  await sql.dialect.lock(sql, 'counters');
  const [row] = await sql.rows<{ open: number }>('SELECT count(*) AS open FROM queue_items');
  return row?.open ?? 0;
}
