import { setTimeout as delay } from 'node:timers/promises';
import { isSlowness, type ServerProbe } from './probe';

const INTERVAL_MS = 2000;
const DEADLINE_MS = 2000;

export interface HealthWatch {
  readonly signal: AbortSignal;
  /** Between two looks while the server is not up. */
  readonly eagerIntervalMs: number;
  report(healthy: boolean, problem: unknown): void;
}

/**
 * Asks until `signal` fires and reports each verdict. Slowness must be seen twice in a row, since a
 * loaded server may miss one deadline; a refusal counts at once. So a dead server is noticed within
 * 2 s and a frozen one within 8 s.
 */
export async function watchHealth(probe: ServerProbe, watch: HealthWatch): Promise<void> {
  const { signal } = watch;
  let healthy = false;
  let slow = false;
  while (!signal.aborted) {
    try {
      await probe.check(DEADLINE_MS);
      if (signal.aborted) return;
      healthy = true;
      slow = false;
      watch.report(true, null);
    } catch (problem) {
      if (signal.aborted) return;
      const tolerated = healthy && !slow && isSlowness(problem);
      slow = isSlowness(problem);
      if (!tolerated) {
        healthy = false;
        watch.report(false, problem);
      }
    }
    await delay(healthy && !slow ? INTERVAL_MS : watch.eagerIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}
