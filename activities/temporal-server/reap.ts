import { DataDirectoryInUse } from '../lifecycle/data-lock';
import type { TemporalDataDirectory } from './data-directory';
import type { Log } from './log';
import { endProcess, isAlive } from './process-identity';

/**
 * Ends the server of an earlier run that died without ending it. It is stopped rather than adopted:
 * nothing is lost by a restart of 1 s, and its output and exit are ours again.
 */
export async function reapOrphan(data: TemporalDataDirectory, log: Log): Promise<void> {
  const run = await data.readRun();
  if (!run) return;
  if (run.owner.pid !== process.pid && isAlive(run.owner)) {
    throw new DataDirectoryInUse(data.root, run.owner.pid);
  }
  if (isAlive(run.child)) {
    log.warn({ pid: run.child.pid }, 'ending the Temporal server that an earlier run left behind');
    await endProcess(run.child, 500);
  }
  await data.clearRun();
}
