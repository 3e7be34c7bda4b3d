/**
 * The queue's writes of an attempt, tried again while somebody else holds the database's lock (fault
 * C1). Nothing was written then, and the lease goes on, so giving up would only waste a call.
 */
import { DatabaseBusy } from '../store/errors';
import type { Queue } from '../store/store';

export interface Patience {
  /** How long to try, ms. Well within the lease: it was renewed a third of its time ago at most. */
  readonly ms: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

export function patientQueue(queue: Queue, patience: Patience): Queue {
  const { now } = patience;
  return {
    ...queue,
    claim: (taskId, target, holder, at, leaseMs, seats) => {
      const asked = now();
      // The lease begins when it is given, not when it was asked for.
      return patiently(() => queue.claim(taskId, target, holder, at + now() - asked, leaseMs, seats), patience);
    },
    release: (...release) => patiently(() => queue.release(...release), patience),
    finish: (...finish) => patiently(() => queue.finish(...finish), patience),
  };
}

/** What is thrown in the end is the last `DatabaseBusy`; any other failure comes at once. */
async function patiently<T>(write: () => Promise<T>, { ms, now, pause }: Patience): Promise<T> {
  const until = now() + ms;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || now() + pauseMs >= until) throw error;
      await pause(pauseMs);
    }
  }
}
