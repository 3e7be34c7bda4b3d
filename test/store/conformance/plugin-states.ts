import type { StoredCircuit, StoredGuardian, StoredQuarantine } from '../../../store/records';
import { now } from '../samples';
import { over, type OpenStore } from './subject';

const open = (circuitRevision: number): StoredCircuit => ({
  circuitState: 'open',
  circuitRevision,
  failures: [now - 2, now - 1, now],
  failureCount: 3,
  lastFailureAt: now,
  retryAt: now + 1_440_000,
});

const counting: StoredCircuit = { ...open(2), circuitState: 'closed', failureCount: 1, failures: [now], retryAt: null };

const guardian: StoredGuardian = {
  health: 'unhealthy',
  recoveryAttempts: 2,
  flapping: true,
  transitions: [now - 5, now],
  lastPingAt: now,
};

const quarantine: StoredQuarantine = {
  quarantineState: 'quarantined',
  quarantineReason: 'it was recovered 3 times in a row',
  quarantineSince: now,
};

export function pluginStates(openStore: OpenStore): void {
  test(
    'F5: circuit, guardian and quarantine are written apart and read together',
    over(openStore, async ({ pluginStates: states }) => {
      await expect(states.get('up1')).resolves.toBeNull();
      await expect(states.putCircuit('up1', open(1), now)).resolves.toBe(true);
      await states.putGuardian('up1', guardian, now + 1);
      await states.putQuarantine('up1', quarantine, now + 2);
      const whole = { pluginId: 'up1', ...open(1), ...guardian, ...quarantine, updatedAt: now + 2 };
      await expect(states.get('up1')).resolves.toEqual(whole);
      await expect(states.list()).resolves.toEqual([whole]);
      await states.putQuarantine(
        'up1',
        { quarantineState: 'none', quarantineReason: null, quarantineSince: null },
        now + 3,
      );
      await expect(states.get('up1')).resolves.toMatchObject({ circuitState: 'open', quarantineState: 'none' });
    }),
  );

  test(
    'E4: an older state of a circuit never replaces a newer one',
    over(openStore, async ({ pluginStates: states }) => {
      await expect(states.putCircuit('up1', open(5), now)).resolves.toBe(true);
      await expect(states.putCircuit('up1', counting, now + 1)).resolves.toBe(false);
      await expect(states.putCircuit('up1', { ...counting, circuitRevision: 5 }, now + 2)).resolves.toBe(true);
      await expect(states.get('up1')).resolves.toMatchObject({ circuitState: 'closed', updatedAt: now + 2 });
    }),
  );

  test(
    'E4: a reset closes every circuit, tells which were not closed, and is newer than what it replaced',
    over(openStore, async ({ pluginStates: states }) => {
      await states.putCircuit('up1', open(4), now);
      await states.putCircuit('up2', counting, now);
      await states.putGuardian('up3', guardian, now);
      await expect(states.resetCircuits(now + 9)).resolves.toEqual([{ pluginId: 'up1', from: 'open' }]);
      await expect(states.list()).resolves.toMatchObject([
        { pluginId: 'up1', circuitState: 'closed', circuitRevision: 5, failures: [], retryAt: null },
        { pluginId: 'up2', circuitState: 'closed', failureCount: 0, lastFailureAt: null },
        { pluginId: 'up3', circuitRevision: 0, recoveryAttempts: 2, updatedAt: now },
      ]);
      await expect(states.putCircuit('up1', open(4), now + 10)).resolves.toBe(false);
    }),
  );

  test(
    'F: 20 writers that meet a plugin first leave one row with all they wrote',
    over(openStore, async ({ pluginStates: states }) => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0 ? states.putCircuit('up1', open(index), now) : states.putGuardian('up1', guardian, now),
        ),
      );
      await expect(states.list()).resolves.toMatchObject([{ circuitRevision: 18, recoveryAttempts: 2 }]);
      await expect(states.remove('up1')).resolves.toBe(true);
      await expect(states.remove('up1')).resolves.toBe(false);
    }),
  );
}
