/** The ledger as one process sees it: every statement takes its time, and a dead process gets no answer. */
import type { Store } from '../../store/store';
import type { Ledger } from './ledger';
import type { SeededRandom } from './random';
import type { SimulatedTime } from './simulated-time';

export const DATABASE = 'database';

/** Mean of each of the two ways, ms. */
const WAY_MS = 3;
const DEFAULT_STALE_MS = 30_000;

interface Access {
  readonly ledger: Ledger;
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
}

/** The part of the store that the request path uses. */
export function storeOf({ ledger, time, random }: Access, incarnation: string): Store {
  const ask = <T>(statement: () => T): Promise<T> =>
    new Promise((resolve) => {
      time.after(random.around(WAY_MS), DATABASE, () => {
        // What a dying process had sent may have arrived or not.
        if (time.isDead(incarnation) && random.chance(0.5)) return;
        const answer = statement();
        time.after(random.around(WAY_MS), incarnation, () => resolve(answer));
      });
    });
  const tasks: Partial<Store['tasks']> = {
    accept: (task, hardLimit) => ask(() => ledger.accept(task, hardLimit)),
    get: (id) => ask(() => copied(ledger.tasks.get(id))),
    requestBody: (id) => ask(() => ledger.bodies.get(id) ?? null),
    answer: (id) => ask(() => ledger.answers.get(id) ?? null),
    attempts: (id) => ask(() => ledger.attemptsOf(id).map((attempt) => ({ ...attempt }))),
    requestCancel: (id, reason, at) => ask(() => copied(ledger.requestCancel(id, reason, at))),
    settle: (id, owner, settlement) => ask(() => ledger.settle(id, owner, settlement)),
    unbindIdempotency: (id) => ask(() => ledger.unbindIdempotency(id)),
    // No key of a world lives long enough to expire.
    forgetExpiredKeys: () => ask(() => 0),
  };
  const queue: Store['queue'] = {
    claim: (id, target, holder, now, leaseMs) => ask(() => ledger.claim(id, target, holder, now, leaseMs)),
    // A world's limits are each process's own.
    recountSeats: () => ask(() => undefined),
    renew: (...renewal) => ask(() => ledger.renew(...renewal)),
    release: (...release) => ask(() => ledger.release(...release)),
    finish: (...finish) => ask(() => ledger.finish(...finish)),
    orphans: (now, limit, staleMs = DEFAULT_STALE_MS) =>
      ask(() => ledger.orphans(now, limit, staleMs).map((task) => ({ ...task }))),
    standing: (owner, ids) => ask(() => ledger.standing(owner, ids)),
    endOrphan: (id, settlement, now, staleMs = DEFAULT_STALE_MS) =>
      ask(() => ledger.endOrphan(id, settlement, now, staleMs)),
    takeOver: (id, by, now, staleMs = DEFAULT_STALE_MS) => ask(() => ledger.takeOver(id, by, now, staleMs)),
  };
  const processes: Partial<Store['processes']> = {
    register: ({ startedAt }) =>
      ask(() => void ledger.processes.set(incarnation, { heartbeatAt: startedAt, stoppedAt: null })),
    heartbeat: (id, at) => ask(() => void Object.assign(ledger.processes.get(id)!, { heartbeatAt: at })),
    stopped: (id, at) => ask(() => void Object.assign(ledger.processes.get(id)!, { stoppedAt: at })),
  };
  return { kind: 'sqlite', tasks, queue, processes } as Store;
}

/** Rows leave the database as copies: what a process holds does not change under it. */
function copied<T extends object>(row: T | null | undefined): T | null {
  return row ? { ...row } : null;
}
