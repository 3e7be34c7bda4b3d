/**
 * Seats (spec A5): how many tasks run at a plugin or for an owner, counted over all processes. A seat is
 * taken and given back in the transaction that takes and gives back the lease, so a count can't miss a
 * process that dies; the sweep rebuilds the counts from the leases all the same.
 */
import { SeatTaken } from './errors';
import type { Seat, SeatScope } from './records';
import type { Sql } from './sql';

/** The seats in the row of a queue item; they count only while somebody holds it. */
export interface SeatColumns {
  readonly holder: string | null;
  readonly plugin_seat: string | null;
  readonly owner_seat: string | null;
}

export const seatColumns = 'holder, plugin_seat, owner_seat';

/**
 * Takes all of them or throws `SeatTaken`, which undoes the unit. What the item holds already is given
 * back first: a process claims anew what it holds after a failure between two attempts.
 */
export async function takeSeats(sql: Sql, taskId: string, seats: readonly Seat[]): Promise<void> {
  const [item] = await sql.rows<SeatColumns>(`SELECT ${seatColumns} FROM queue_items WHERE task_id = $1`, [taskId]);
  if (item) await giveBackSeats(sql, item);
  for (const seat of seats) if (!(await take(sql, seat))) throw new SeatTaken(seat.scope, seat.id);
}

async function take(sql: Sql, { scope, id, limit }: Seat): Promise<boolean> {
  const taken = async (): Promise<boolean> => {
    const counted = await sql.rows(
      'UPDATE seat_counts SET n = n + 1 WHERE scope = $1 AND id = $2 AND n < $3 RETURNING n',
      [scope, id, limit],
    );
    return counted.length > 0;
  };
  if (await taken()) return true;
  const added = await sql.run(
    'INSERT INTO seat_counts (scope, id, n) VALUES ($1, $2, 0) ON CONFLICT (scope, id) DO NOTHING',
    [scope, id],
  );
  return added > 0 && taken();
}

/** Of an item whose lease is given back or ends. */
export async function giveBackSeats(sql: Sql, item: SeatColumns): Promise<void> {
  if (item.holder === null) return;
  const seats: readonly [SeatScope, string | null][] = [
    ['plugin', item.plugin_seat],
    ['owner', item.owner_seat],
  ];
  for (const [scope, id] of seats) {
    if (id === null) continue;
    await sql.run('UPDATE seat_counts SET n = n - 1 WHERE scope = $1 AND id = $2 AND n > 0', [scope, id]);
  }
}

export async function recountSeats(sql: Sql): Promise<void> {
  await sql.dialect.lock(sql, 'counters');
  await sql.run(
    `UPDATE seat_counts SET n = (
       SELECT count(*) FROM queue_items
       WHERE holder IS NOT NULL
         AND CASE seat_counts.scope WHEN 'plugin' THEN plugin_seat ELSE owner_seat END = seat_counts.id)`,
  );
  await sql.run('DELETE FROM seat_counts WHERE n = 0');
}
