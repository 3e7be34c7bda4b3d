import fc from 'fast-check';
import { isInRange } from './version-range';

test.each([
  ['>=0.1.0 <0.2.0', ['0.1.0', '0.1.9'], ['0.0.9', '0.2.0', '1.1.0']],
  ['>= 20', ['20.0.0', '24.21.0'], ['18.0.0']],
  ['^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0']],
  ['^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.4']],
  ['~1.2', ['1.2.0', '1.2.9'], ['1.3.0']],
  ['1.x', ['1.0.0', '1.9.9'], ['2.0.0']],
  ['1.2.3', ['1.2.3'], ['1.2.4']],
  ['<=1.2', ['1.2.9', '0.1.0'], ['1.3.0']],
  ['>1.2.3', ['1.2.4'], ['1.2.3']],
  ['>1', ['2.0.0'], ['1.9.9']],
  ['*', ['0.0.0', '9.9.9'], []],
  ['', ['1.2.3'], []],
  ['^1 || ^3', ['1.5.0', '3.0.1'], ['2.0.0']],
])('F5: %s', (range, inside, outside) => {
  for (const version of inside) expect(isInRange(version, range)).toBe(true);
  for (const version of outside) expect(isInRange(version, range)).toBe(false);
});

test('F5: what is no range is said to be none', () => {
  for (const range of ['latest', '>=a.b', '1.2.3.4', '>>1', '^']) {
    expect(() => isInRange('1.0.0', range)).toThrow(RangeError);
  }
  expect(isInRange('unknown', '*')).toBe(false);
});

test('F5: any text is a range or refused, soon', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'^~<>=|.x*0129 v-') })), (range) => {
      try {
        expect(typeof isInRange('1.2.3', range)).toBe('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
