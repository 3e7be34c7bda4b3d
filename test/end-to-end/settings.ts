/** Settings that let a test of retries end in time; production keeps the seconds. */
import { merge, type SettingsTree } from '../harness';

export const FAST_RETRIES: SettingsTree = {
  MODELS: { ROUTING: { RETRY: { BASE_DELAY_SEC: 0.01, MAX_DELAY_SEC: 3 } } },
};

export const settings = (...trees: readonly SettingsTree[]): SettingsTree => trees.reduce(merge, FAST_RETRIES);
