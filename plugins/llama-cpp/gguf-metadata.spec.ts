import fc from 'fast-check';
import { CHAT_MODEL, ENCODER, ggufHeader } from '../../test/plugins/gguf-samples';
import { HeaderIncomplete, HeaderInvalid, parseGguf } from './gguf-metadata';

const header = ggufHeader(CHAT_MODEL);

test('J: a chat model tells its architecture, context, quantisation, size and template', () => {
  expect(parseGguf(header)).toEqual({
    architecture: 'llama',
    name: 'Tiny Talker',
    contextTokens: 8_192,
    quantisation: 'Q4_K_M',
    hasChatTemplate: true,
    parameters: 64 * 32 + 32,
    cacheValuesPerToken: 2 * 2 * (16 + 16),
    isEncoder: false,
  });
});

test('J: an encoder is told from a model that talks', () => {
  expect(parseGguf(ggufHeader(ENCODER))).toMatchObject({ isEncoder: true, hasChatTemplate: false, contextTokens: 512 });
});

test('what is not there is not known', () => {
  expect(parseGguf(ggufHeader({ metadata: {}, version: 2 }))).toEqual({
    architecture: null,
    name: null,
    contextTokens: null,
    quantisation: null,
    hasChatTemplate: false,
    parameters: null,
    cacheValuesPerToken: null,
    isEncoder: false,
  });
});

test('S7: a header cut off anywhere is incomplete, never misread', () => {
  fc.assert(
    fc.property(fc.nat({ max: header.length - 1 }), (length) => {
      expect(() => parseGguf(header.subarray(0, length))).toThrow(HeaderIncomplete);
    }),
  );
});

test('S7: damaged headers end in a reason, soon, whatever the damage', () => {
  const damage = fc.array(fc.tuple(fc.nat({ max: header.length - 1 }), fc.nat({ max: 255 })), { maxLength: 8 });
  fc.assert(
    fc.property(damage, (changes) => {
      const bytes = Buffer.from(header);
      for (const [at, value] of changes) bytes[at] = value;
      try {
        parseGguf(bytes);
      } catch (error) {
        expect(error instanceof HeaderIncomplete || error instanceof HeaderInvalid).toBe(true);
      }
    }),
  );
});

test.each([
  ['no GGUF', Buffer.from('<html>sign in</html>   and more')],
  ['another version', ggufHeader({ metadata: {}, version: 9 })],
  ['absurd counts', Buffer.concat([Buffer.from('GGUF\x03\0\0\0', 'latin1'), Buffer.alloc(16, 255)])],
])('S7: %s is invalid', (_name, bytes) => expect(() => parseGguf(bytes)).toThrow(HeaderInvalid));
