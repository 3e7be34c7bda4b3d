import fc from 'fast-check';
import { MAX_TAKEOVERS, type OrphanFacts, recover } from './recovery';

const orphan: OrphanFacts = {
  hasRequestBody: true,
  targetKnown: true,
  deadlineAt: 2_000,
  cancelRequested: null,
  takeovers: 0,
  given: false,
  background: false,
  now: 1_000,
};

test('C2: with its context present it is requeued', () => {
  expect(recover(orphan)).toEqual({ kind: 'requeue', deliver: true });
});

test('C7: an answer that had begun to reach a client is run again, but not into that stream', () => {
  expect(recover({ ...orphan, given: true })).toEqual({ kind: 'requeue', deliver: false });
});

test('C2: without its stored request or its target it fails as server_restarted', () => {
  expect(recover({ ...orphan, hasRequestBody: false })).toEqual({ kind: 'fail', reason: 'server_restarted' });
  expect(recover({ ...orphan, targetKnown: false })).toEqual({ kind: 'fail', reason: 'server_restarted' });
});

test('C2: a requested cancellation wins over everything, with its recorded reason', () => {
  const facts = fc.record({
    hasRequestBody: fc.boolean(),
    targetKnown: fc.boolean(),
    deadlineAt: fc.nat(),
    cancelRequested: fc.record({ reason: fc.constantFrom('cancelled', 'client_disconnected') }),
    takeovers: fc.nat(5),
    given: fc.boolean(),
    background: fc.boolean(),
    now: fc.nat(),
  });
  fc.assert(
    fc.property(facts, (each) => {
      expect(recover(each)).toEqual({ kind: 'cancel', reason: each.cancelRequested.reason });
    }),
  );
});

test('C1, F11: three takeovers are allowed, the fourth ends it as poison_task', () => {
  expect(recover({ ...orphan, takeovers: MAX_TAKEOVERS - 1 }).kind).toBe('requeue');
  expect(recover({ ...orphan, takeovers: MAX_TAKEOVERS })).toEqual({ kind: 'fail', reason: 'poison_task' });
});

test('K: past its deadline it is never run again', () => {
  expect(recover({ ...orphan, now: 1_999 }).kind).toBe('requeue');
  expect(recover({ ...orphan, now: 2_000 })).toEqual({ kind: 'expire', reason: 'deadline_exceeded' });
});
