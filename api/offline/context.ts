import type { Settings } from '../../config/schema';
import type { Store } from '../../store/store';

/** What a command that leaves the database closed works on. */
export interface OfflineSettings {
  readonly settings: Settings;
  readonly dataDir: string;
}

/** What an offline command works on. */
export interface OfflineContext extends OfflineSettings {
  readonly store: Store;
}

/** One line for a person, on stderr. */
export type Say = (line: string) => void;
