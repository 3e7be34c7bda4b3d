/** What an attempt works with; `request-dispatcher.ts` puts it together. */
import type { CallDeadlines } from '../plugins/adapter';
import type { Store } from '../store/store';
import type { Catalogue } from './catalogue';
import type { CircuitReports } from './circuit-reports';
import type { Circuits } from './circuits';
import type { Leases } from './leases';
import type { PluginHost } from './plugin-host';
import type { ResponseLogs } from './response-logs';
import type { Router } from './router';
import type { Run, Runs } from './runs';
import type { Scheduler } from './scheduler';
import type { Settlements } from './settlement';
import type { TaskFeed } from './task-feed';

export interface AttemptDeps {
  readonly store: Store;
  readonly runs: Runs;
  readonly scheduler: Scheduler;
  readonly leases: Leases;
  readonly plugins: PluginHost;
  readonly catalogue: Catalogue;
  readonly circuits: Circuits;
  readonly reports: CircuitReports;
  readonly router: Router;
  readonly settlements: Settlements;
  readonly feed: TaskFeed;
  readonly responseLogs: ResponseLogs;
  readonly incarnation: string;
  readonly leaseMs: number;
  readonly deadlines: CallDeadlines;
  readonly now: () => number;
  readonly random: () => number;
  /** Makes a run of a task this process does not know (an activity retried after a restart of the worker). */
  readonly adopt: (taskId: string) => Promise<Run | null>;
  readonly stop: (taskId: string, reason: string) => void;
  /** The task is somebody else's now: deliver their answer to the client that waits here. */
  readonly follow: (run: Run) => void;
}
