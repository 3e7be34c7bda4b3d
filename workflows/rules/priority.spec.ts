import { priorityFor } from './priority';

test.each([
  [undefined, 'standard'],
  [null, 'standard'],
  ['auto', 'standard'],
  ['default', 'standard'],
  ['scale', 'standard'],
  ['flex', 'flex'],
])('A6: service_tier %s is %s, permission or not', (serviceTier, priority) => {
  expect(priorityFor(serviceTier, false)).toEqual({ kind: 'granted', priority });
  expect(priorityFor(serviceTier, true)).toEqual({ kind: 'granted', priority });
});

test('A6: priority needs the permission', () => {
  expect(priorityFor('priority', true)).toEqual({ kind: 'granted', priority: 'high' });
  expect(priorityFor('priority', false)).toEqual({ kind: 'denied' });
});

test.each(['', 'PRIORITY', 'high', 'constructor', 1, true, {}, ['flex']])(
  'A6: %p is no service tier',
  (serviceTier) => {
    expect(priorityFor(serviceTier, true)).toEqual({ kind: 'invalid' });
  },
);
