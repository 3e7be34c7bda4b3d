import type { Store } from '../../../store/store';

/** Opens an empty store. The suite closes it. */
export type OpenStore = () => Promise<Store>;

/** A test's body over a store of its own. */
export const over = (open: OpenStore, body: (store: Store) => Promise<void>) => async (): Promise<void> => {
  const store = await open();
  try {
    await body(store);
  } finally {
    await store.close();
  }
};
