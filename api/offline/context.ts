import type { Settings } from '../../config/schema';
import type { Store } from '../../store/store';

/** What an offline command works on. */
export interface OfflineContext {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly store: Store;
}
