import fc from 'fast-check';
import type { CircuitView } from '../circuits';
import { noticeOfCircuit, noticeOfQuarantine } from './notice';

const OPEN: CircuitView = { state: 'open', failureCount: 3, lastFailureAt: 5_000, retryAt: 9_000, probing: false };

test('F3: a quarantine is told once, with its reason and its time', () => {
  const quarantine = {
    state: 'quarantined',
    reason: '3 recoveries in a row did not help: no answer',
    since: 7,
  } as const;
  expect(noticeOfQuarantine('p', 'none', quarantine, 99)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    type: 'plugin.quarantined',
    plugin: 'p',
    state: 'quarantined',
    reason: quarantine.reason,
    at: 7,
  });
  expect(noticeOfQuarantine('p', 'quarantined', quarantine, 99)).toBeNull();
});

test('F6: one for integrity is told apart, and its end is not told', () => {
  const integrity = { state: 'integrity', reason: 'its file a was changed', since: 8 } as const;
  expect(noticeOfQuarantine('p', 'quarantined', integrity, 99)).toMatchObject({ state: 'integrity' });
  expect(noticeOfQuarantine('p', 'integrity', { state: 'none', reason: null, since: null }, 99)).toBeNull();
});

test('E2, E3: a circuit is told when it opens and when its probe failed, not while it stays open', () => {
  expect(noticeOfCircuit('p', 'closed', OPEN, 99)).toMatchObject({
    type: 'circuit.opened',
    state: 'open',
    reason: '3 failures counted: requests to it are blocked',
    at: 5_000,
  });
  expect(noticeOfCircuit('p', 'half_open', OPEN, 99)).toMatchObject({ reason: expect.stringContaining('probe') });
  expect(noticeOfCircuit('p', 'open', OPEN, 99)).toBeNull();
  expect(noticeOfCircuit('p', 'open', { ...OPEN, state: 'half_open' }, 99)).toBeNull();
  expect(noticeOfCircuit('p', 'half_open', { ...OPEN, state: 'closed' }, 99)).toBeNull();
});

test('E: processes that see the same occurrence give it the same id, and no other one that id', () => {
  const occurrence = fc.record({ plugin: fc.string(), at: fc.nat() });
  const idOf = ({ plugin, at }: { plugin: string; at: number }, now: number): string =>
    noticeOfCircuit(plugin, 'closed', { ...OPEN, lastFailureAt: at }, now)!.id;
  fc.assert(
    fc.property(occurrence, occurrence, fc.nat(), fc.nat(), (one, other, now, later) => {
      expect(idOf(one, now)).toBe(idOf(one, later));
      const same = one.plugin === other.plugin && one.at === other.at;
      expect(idOf(one, now) === idOf(other, now)).toBe(same);
    }),
  );
});
