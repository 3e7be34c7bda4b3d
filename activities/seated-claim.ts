/**
 * Claims the lease and, where several processes share the limits, its seats (A5). SQLite has one
 * process, whose own counts are the truth.
 */
import { SeatTaken } from '../store/errors';
import type { Claim } from '../store/records';
import type { Target } from '../workflows/contract';
import type { AttemptDeps } from './attempt-deps';
import type { Run } from './runs';

type Deps = Pick<AttemptDeps, 'store' | 'scheduler' | 'incarnation' | 'leaseMs'>;

/** Null: the task can't be claimed (`Queue.claim`). `no_seat`: as many run elsewhere as may. */
export async function claimSeated(
  deps: Deps,
  run: Run,
  target: Target,
  now: number,
): Promise<Claim | null | 'no_seat'> {
  const { store, scheduler, incarnation, leaseMs } = deps;
  const { taskId } = run.facts;
  const shared = store.kind === 'postgres';
  const seats = shared ? scheduler.seatsOf(run.facts, target) : [];
  try {
    const claim = await store.queue.claim(taskId, target, incarnation, now, leaseMs, seats);
    if (shared) scheduler.seated(run.facts, target);
    return claim;
  } catch (error) {
    if (!(error instanceof SeatTaken)) throw error;
    scheduler.seatTaken(taskId, error);
    return 'no_seat';
  }
}
