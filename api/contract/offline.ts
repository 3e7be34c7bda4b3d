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
