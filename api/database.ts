/** The database the settings name, in the store's terms. */
import type { Settings } from '../config/schema';
import type { StoreOptions } from '../store/open-store';

export function databaseOf({ DATABASE: { TYPE, URL } }: Settings): StoreOptions['database'] {
  if (TYPE === 'sqlite') return { TYPE };
  // The settings' cross-checks have refused postgres without a URL.
  return { TYPE, URL: URL! };
}
