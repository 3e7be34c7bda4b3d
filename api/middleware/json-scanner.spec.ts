import fc from 'fast-check';
import { JsonScanner, MAX_DEPTH, MAX_ITEMS, MAX_MEMBERS } from './json-scanner';

function scan(text: string, chunkSize = 65_536): string | null {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  for (let at = 0; at < bytes.length; at += chunkSize) {
    const fault = scanner.push(bytes.subarray(at, at + chunkSize));
    if (fault !== null) return fault;
  }
  return null;
}

describe('S35: a JSON text is looked over before it is parsed', () => {
  test('S35: any ordinary JSON passes, however it is cut', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 9 }), (text, size) => {
        // fast-check may make halves of surrogate pairs, which are refused on purpose.
        fc.pre(JSON.stringify(JSON.parse(text)).search(/\\ud[89a-f]/) === -1);
        expect(scan(text, size)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test('S35: brackets and colons inside strings count for nothing', () => {
    expect(scan(JSON.stringify({ a: '[{:,'.repeat(MAX_MEMBERS), b: '\\"[[[' }))).toBeNull();
  });

  test(`S35: ${MAX_DEPTH} levels pass, one more does not`, () => {
    expect(scan('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).toBeNull();
    expect(scan('['.repeat(MAX_DEPTH + 1))).toMatch(/nested/);
    expect(scan('{"a":'.repeat(MAX_DEPTH + 1), 1)).toMatch(/nested/);
    expect(scan('[]'.repeat(MAX_DEPTH * 2))).toBeNull();
  });

  test('S35: members and items have their caps', () => {
    expect(scan(`{${'"a":1,'.repeat(MAX_MEMBERS)}"a":1}`)).toMatch(/object members/);
    expect(scan(`[${'1,'.repeat(MAX_ITEMS)}`)).toBeNull();
    expect(scan(`[${'1,'.repeat(MAX_ITEMS + 1)}`)).toMatch(/array items/);
  });

  test.each(['1e308', '1.7976931348623157e308', '-12.5E+3', '1e-999', '0.000001', '123456789012345678901234567890'])(
    'S35: the number %s passes',
    (number) => {
      expect(scan(`{"temperature":${number},"b":1e2}`)).toBeNull();
      expect(scan(`[${number}]`, 1)).toBeNull();
    },
  );

  test.each(['1e309', '1E+999', '10e308', '-1e1000000000000', '1'.repeat(400)])(
    'S35: the number %s, which no float can hold, does not',
    (number) => {
      expect(scan(`{"a":${number}}`)).toMatch(/out of range/);
      expect(scan(`[1,2,${number}]`, 1)).toMatch(/out of range/);
    },
  );

  test.each(['"\\ud800"', '"\\udc00"', '"\\ud800x"', '"\\ud800\\n"', '"\\ud800\\ud800"', '{"\\uDFFF":1}'])(
    'S35: half of a surrogate pair is refused: %s',
    (text) => {
      expect(scan(text)).toMatch(/surrogate/);
      expect(scan(text, 1)).toMatch(/surrogate/);
    },
  );

  test('whole pairs pass, escaped or not', () => {
    expect(scan('"\\ud83e\\udd80 🦀 \\u00e9 \\\\ud800"', 1)).toBeNull();
  });

  test('S35: 100,000 levels are refused within the first bytes', () => {
    const scanner = new JsonScanner();
    expect(scanner.push(Buffer.from('['.repeat(MAX_DEPTH + 1)))).not.toBeNull();
  });
});
