import fc from 'fast-check';
import { visible, visibleText } from './visible';

test('S8: whatever the text, no control or bidirectional character is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleText(text).replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }),
  );
});

test('ordinary text, in any script, stays as it is', () => {
  for (const text of ['plain', 'Grüße', '안녕하세요🦀', 'שלום']) expect(visible(text)).toBe(text);
  expect(visibleText('a\r\nb\tc')).toBe('a\nb\tc');
});
