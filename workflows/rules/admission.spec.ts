import fc from 'fast-check';
import { admit, admitBody, requestBudget } from './admission';

const timeouts = { requestMs: 285_000, streamMs: 1_800_000, backgroundMs: 86_400_000 };

test('A2: one byte below the floor refuses, the floor itself does not', () => {
  expect(admit({ freeBytes: 999, floorBytes: 1_000 })).toEqual({ accept: false, code: 'insufficient_storage' });
  expect(admit({ freeBytes: 1_000, floorBytes: 1_000 })).toEqual({ accept: true });
  expect(admit({ freeBytes: null, floorBytes: 1_000 })).toEqual({ accept: true });
});

test('K: each kind of request has a deadline of its own', () => {
  const plain = { stream: false, background: false, timeouts, now: 1_000 };
  expect(requestBudget(plain)).toEqual({ deadlineAt: 286_000 });
  expect(requestBudget({ ...plain, stream: true })).toEqual({ deadlineAt: 1_801_000 });
  expect(requestBudget({ ...plain, stream: true, background: true })).toEqual({ deadlineAt: 86_401_000 });
});

test("K, F10: the client's own time-out shortens a deadline and never lengthens it", () => {
  const request = fc.record({ stream: fc.boolean(), clientTimeoutMs: fc.double() });
  fc.assert(
    fc.property(request, ({ stream, clientTimeoutMs }) => {
      const ours = stream ? timeouts.streamMs : timeouts.requestMs;
      const { deadlineAt } = requestBudget({ stream, background: false, clientTimeoutMs, timeouts, now: 0 });
      const usable = clientTimeoutMs > 0 && clientTimeoutMs < ours;
      expect(deadlineAt).toBe(usable ? Math.floor(clientTimeoutMs) : ours);
    }),
  );
});

test('K: nobody waits for a background request, so no client time-out ends it', () => {
  const request = { stream: false, background: true, clientTimeoutMs: 5, timeouts, now: 0 };
  expect(requestBudget(request)).toEqual({ deadlineAt: timeouts.backgroundMs });
});

test.each([
  { heldBytes: 0, bodyBytes: 500, budgetBytes: 100, accept: true },
  { heldBytes: 1, bodyBytes: 100, budgetBytes: 100, accept: false },
  { heldBytes: 60, bodyBytes: 40, budgetBytes: 100, accept: true },
  { heldBytes: 1_000, bodyBytes: 1_000, budgetBytes: 0, accept: true },
])('F12: $bodyBytes bytes beside $heldBytes held of $budgetBytes → $accept', ({ accept, ...facts }) => {
  expect(admitBody(facts)).toBe(accept);
});
