/** Leases, sweeps and retries in fractions of seconds; where a fault needs the factory's, its spec says so. */
import { merge, type SettingsTree } from '../harness';

export const FAST: SettingsTree = {
  MODELS: {
    ROUTING: {
      DURABLE_QUEUE_LEASE_TTL_SEC: 2,
      DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.5,
      RETRY: { BASE_DELAY_SEC: 0.05, MAX_DELAY_SEC: 1 },
    },
  },
};

export const fast = (...trees: readonly SettingsTree[]): SettingsTree => trees.reduce(merge, FAST);
