/** Marks the processes of this host that are gone, so that their work is taken over without waiting for leases (C2). */
import { hostname } from 'node:os';
import { startOf } from '../activities/temporal-server/process-identity';
import type { Store } from '../store/store';

/**
 * On SQLite the data directory's lock is ours, so every other process is dead. On PostgreSQL only
 * those of this host whose pid lives no more; the others' heartbeats tell.
 */
export async function markDeadProcesses(store: Store, now: number): Promise<void> {
  for (const process of await store.processes.list()) {
    if (process.stoppedAt !== null) continue;
    const gone = process.host === hostname() && startOf(process.pid) === null;
    if (store.kind === 'sqlite' || gone) await store.processes.stopped(process.incarnation, now);
  }
}
