/** What `soai db …` prints with `-o json`. */

export interface DatabaseCheck {
  readonly file: string;
  readonly sound: boolean;
  readonly problems: readonly string[];
  /** Where to read on when it is damaged. */
  readonly guide: string | null;
}

export interface DatabaseBackup {
  readonly file: string;
  readonly backup: string;
  readonly bytes: number;
  readonly checked: true;
}

export interface DatabaseRestore {
  readonly file: string;
  readonly restored_from: string;
  /** What was in its place, under its new names; empty when nothing was. */
  readonly kept: readonly string[];
  /** Shell commands that put it back, SoAI stopped. */
  readonly undo: readonly string[];
}

export interface DatabaseStatus {
  readonly database: 'sqlite' | 'postgres';
  readonly data_dir: string;
  readonly file: string | null;
  readonly bytes: number | null;
  /** Of the write-ahead log; null when there is none. */
  readonly log_bytes: number | null;
  /** The last run did not stop cleanly, and its check is due. */
  readonly unclean: boolean;
  readonly server_pid: number | null;
}

/** What `soai plan -o json` prints. Times in ms, shares from 0 to 1. */
export interface PlanReport {
  readonly minutes: number;
  readonly seed: number;
  readonly streams: readonly {
    readonly name: string;
    readonly requests: number;
    readonly started: number;
    readonly wait_ms: {
      readonly mean: number;
      readonly p50: number;
      readonly p95: number;
      readonly p99: number;
    } | null;
    readonly refused: {
      readonly queue_full: number;
      readonly capacity_exceeded: number;
      readonly deadline_exceeded: number;
    };
  }[];
  readonly plugins: readonly {
    readonly id: string;
    readonly utilisation: number;
    /** Mean number of calls that would run at once without any limit. */
    readonly offered: number;
    readonly max_concurrent_tasks: number;
    readonly model_loads: number;
  }[];
  /** The limit that kept the next in line waiting for most of the time; null: nothing ever waited. */
  readonly binding_limit: { readonly setting: string; readonly plugin: string | null; readonly share: number } | null;
  /** Share of the time in which somebody waited for a place in the ready queue. */
  readonly queue_full_share: number;
  /** Jain's index over what each owner had started; null: one owner. */
  readonly fairness: number | null;
}
