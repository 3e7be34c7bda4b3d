import fc from 'fast-check';
import { parseRetryAfter } from './retry-after';

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0);

test.each([
  ['0', 0],
  ['5', 5_000],
  ['1.5', 1_500],
  ['1.1', 1_100],
  ['.25', 250],
  [' 7 ', 7_000],
  ['0.0001', 1],
  ['1000000000', 1e12],
])('B2, D11: `retry-after: %s` is %i ms', (retryAfter, expected) => {
  expect(parseRetryAfter({ retryAfter }, NOW)).toBe(expected);
});

test.each([
  '',
  ' ',
  '-1',
  '-0.5',
  'NaN',
  'Infinity',
  '1e9',
  '0x10',
  '5s',
  'soon',
  '1.2.3',
  '９',
  'Thu, 32 Oct 2026 07:28:05 GMT',
])('B2, D11: `retry-after: %s` says nothing', (retryAfter) => {
  expect(parseRetryAfter({ retryAfter }, NOW)).toBeNull();
});

test.each(['Wed, 21 Oct 2026 07:28:05 GMT', 'Wednesday, 21-Oct-26 07:28:05 GMT', 'Wed Oct 21 07:28:05 2026'])(
  'T26: the date %s is 5 s away',
  (retryAfter) => {
    expect(parseRetryAfter({ retryAfter }, NOW)).toBe(5_000);
  },
);

test.each([
  'Wed, 21 Oct 2026 07:28:05',
  'Wed, 21 Oct 2026 07:28:05 +0000',
  'Wed, 21 oct 2026 07:28:05 GMT',
  'Tue, 31 Feb 2026 07:28:05 GMT',
  'Wed, 21 Oct 2026 24:28:05 GMT',
  'Wed, 21 Oct 2026 07:60:05 GMT',
  '2026-10-21T07:28:05Z',
])('D11: %s is no HTTP date', (retryAfter) => {
  expect(parseRetryAfter({ retryAfter }, NOW)).toBeNull();
});

test('D11: a past date means at once', () => {
  expect(parseRetryAfter({ retryAfter: 'Sun, 06 Nov 1994 08:49:37 GMT' }, NOW)).toBe(0);
  expect(parseRetryAfter({ retryAfter: 'Sun Nov  6 08:49:37 1994' }, NOW)).toBe(0);
  expect(parseRetryAfter({ retryAfter: 'Sunday, 06-Nov-94 08:49:37 GMT' }, NOW)).toBe(0);
});

test('B2: retry-after-ms wins when it is valid', () => {
  expect(parseRetryAfter({ retryAfter: '5', retryAfterMs: '1500' }, NOW)).toBe(1_500);
  expect(parseRetryAfter({ retryAfter: '5', retryAfterMs: '-1' }, NOW)).toBe(5_000);
  expect(parseRetryAfter({ retryAfter: '5', retryAfterMs: 'Wed, 21 Oct 2026 07:28:05 GMT' }, NOW)).toBe(5_000);
});

test('D11: of several values the first valid one counts', () => {
  expect(parseRetryAfter({ retryAfter: 'soon, 7, 9' }, NOW)).toBe(7_000);
  expect(parseRetryAfter({ retryAfter: '-1, Wed, 21 Oct 2026 07:28:05 GMT' }, NOW)).toBe(5_000);
  expect(parseRetryAfter({ retryAfter: null, retryAfterMs: undefined }, NOW)).toBeNull();
});

test('T26: every IMF-fixdate reads back to its second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
      const retryAfter = new Date(NOW + seconds * 1_000).toUTCString();
      expect(parseRetryAfter({ retryAfter }, NOW)).toBe(seconds * 1_000);
    }),
  );
});

test('B2: no header makes it throw, and no result is negative or not a whole number', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (retryAfter, retryAfterMs) => {
      const result = parseRetryAfter({ retryAfter, retryAfterMs }, NOW);
      expect(result === null || (Number.isInteger(result) && result >= 0)).toBe(true);
    }),
  );
});
