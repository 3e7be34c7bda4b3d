/**
 * C9: what GET /api/v1/system/health says. Answered from memory; the database is asked every few
 * seconds, so that a fault shows well within the 25 s and the answer itself never waits.
 */
import type { Engine } from '../activities/engine';
import type { Runtime } from '../activities/runtime';
import type { Store } from '../store/store';
import type { Health } from './contract/management';

const DATABASE_CHECK_MS = 5_000;
const DATABASE_TIMEOUT_MS = 5_000;

interface Parts {
  readonly store: Store;
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly version: string;
  readonly startedAt: number;
}

export class HealthWatch {
  private databaseProblem: string | null = null;
  private checking = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly parts: Parts) {
    this.timer = setInterval(() => void this.checkDatabase(), DATABASE_CHECK_MS);
    this.timer.unref();
  }

  current(): Health {
    const { engine, runtime, version, startedAt } = this.parts;
    const { waiting, running, deferred } = runtime.dispatcher.snapshot();
    const reasons = this.reasons();
    return {
      status: reasons.length === 0 ? 'ok' : 'degraded',
      reasons,
      version,
      uptime_sec: Math.floor((Date.now() - startedAt) / 1_000),
      engine: engine.state,
      queue: { waiting: waiting.length, running, deferred },
    };
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private reasons(): Health['reasons'] {
    const { engine, runtime } = this.parts;
    const reasons: Health['reasons'] = [];
    if (engine.state !== 'up') {
      reasons.push({
        code: 'engine_unavailable',
        message: 'The workflow engine is not reachable: requests are refused until it is back.',
      });
    } else if (!runtime.engineReady) {
      reasons.push({
        code: 'worker_starting',
        message: 'The worker is connecting to the workflow engine: requests are refused until it polls.',
      });
    }
    if (this.databaseProblem !== null) {
      reasons.push({ code: 'database_unavailable', message: `The database does not answer: ${this.databaseProblem}` });
    }
    if (runtime.diskFull) {
      reasons.push({
        code: 'insufficient_storage',
        message:
          'Too little disk space is left to accept requests; free some, or lower MIN_FREE_DISK_BYTES_FOR_ACCEPT.',
      });
    }
    return reasons;
  }

  private async checkDatabase(): Promise<void> {
    void this.parts.runtime.refreshDiskSpace();
    if (this.checking) return;
    this.checking = true;
    const slow = setTimeout(() => (this.databaseProblem = 'it took longer than 5 s'), DATABASE_TIMEOUT_MS);
    try {
      await this.parts.store.ping();
      // A lock or a full disk lets reads through; what must be seen is that nothing can be written.
      await this.parts.store.processes.heartbeat(this.parts.runtime.incarnation, Date.now());
      this.databaseProblem = null;
    } catch (error) {
      // No driver message here: it can name paths and hosts, and this page is open to everybody.
      this.databaseProblem = error instanceof Error ? error.name : 'unknown fault';
    } finally {
      clearTimeout(slow);
      this.checking = false;
    }
  }
}
