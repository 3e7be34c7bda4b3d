import fc from 'fast-check';
import { virtualModelName } from './names';

const ALLOWED = 'ABCXYZabcxyz0189 /_.-';
const accepts = (name: string): boolean => virtualModelName.safeParse(name).success;

/** D2 in words, written apart from the schema. */
function isName(text: string): boolean {
  const name = text.trim();
  const letters = [...name];
  return (
    letters.length >= 1 &&
    letters.length <= 128 &&
    letters.every((letter) => /^[A-Za-z0-9]$/.test(letter) || ' /_.-'.includes(letter)) &&
    letters.some((letter) => /^[A-Za-z0-9]$/.test(letter)) &&
    !name.includes('..')
  );
}

test('D2: any text is a name exactly when every clause holds', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...ALLOWED, ':', 'é', '\n', '٣', '\u0000'), maxLength: 140 });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), (text) => {
      expect(accepts(text)).toBe(isName(text));
    }),
  );
});

test('D2: a name is kept as it is but for the spaces around it', () => {
  const name = fc.string({ unit: fc.constantFrom(...ALLOWED), maxLength: 128 }).filter(isName);
  fc.assert(
    fc.property(name, fc.constantFrom('', ' ', '\t', ' \n'), (text, space) => {
      expect(virtualModelName.parse(space + text + space)).toBe(text.trim());
    }),
  );
});

test.each([
  ['GPT team/fast_v1.2-b', true],
  ['7', true],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  [' /_.- ', false],
  ['../a', false],
  ['a..b', false],
  ['a:b', false],
  ['größe', false],
  ['a\tb', false],
  ['', false],
])('D2: %j is a name: %s', (name, good) => expect(accepts(name)).toBe(good));
