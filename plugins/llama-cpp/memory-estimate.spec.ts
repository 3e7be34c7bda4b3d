import fc from 'fast-check';
import { CHAT_MODEL, ggufHeader } from '../../test/plugins/gguf-samples';
import { parseGguf } from './gguf-metadata';
import { memoryNeed, memoryRefusal } from './memory-estimate';

const MIB = 1024 ** 2;
const metadata = parseGguf(ggufHeader(CHAT_MODEL));

test('F: a model needs its file, and keys and values for its context', () => {
  const perToken = 2 * 2 * (16 + 16) * 2;
  expect(memoryNeed({ fileBytes: 1_000, metadata, contextTokens: 100 })).toBe(1_000 + 100 * perToken);
  // No more context than it was trained on.
  expect(memoryNeed({ fileBytes: 1_000, metadata, contextTokens: 1_000_000 })).toBe(1_000 + 8_192 * perToken);
  expect(memoryNeed({ fileBytes: 1_000, metadata: null, contextTokens: 100 })).toBe(1_000);
});

test('F: the refusal names both numbers and the ways out', () => {
  const need = { fileBytes: 900 * MIB, metadata: null, contextTokens: 4_096 };
  expect(memoryRefusal(need, 1_000 * MIB, 256 * MIB)).toBe(
    'it needs about 900 MiB with a context of 4096 tokens, and 1000 MiB are free, of which MEMORY_MARGIN_MIB keeps ' +
      '256 MiB; take a smaller model or lower CONTEXT_SIZE',
  );
  expect(memoryRefusal(need, 1_156 * MIB, 256 * MIB)).toBeNull();
});

test('F: more memory, a smaller margin or a shorter context never turns a load into a refusal', () => {
  const bytes = fc.nat({ max: 2 ** 40 });
  const tokens = fc.integer({ min: 256, max: 1_048_576 });
  fc.assert(
    fc.property(bytes, tokens, bytes, bytes, fc.nat(), (fileBytes, contextTokens, free, margin, more) => {
      const need = { fileBytes, metadata, contextTokens };
      if (memoryRefusal(need, free, margin) !== null) return;
      expect(memoryRefusal(need, free + more, margin)).toBeNull();
      expect(memoryRefusal(need, free, Math.max(0, margin - more))).toBeNull();
      expect(memoryRefusal({ ...need, contextTokens: Math.max(256, contextTokens - more) }, free, margin)).toBeNull();
      expect(fileBytes + margin).toBeLessThanOrEqual(free);
    }),
  );
});

test('F: where nothing is known of the memory nothing is refused', () => {
  expect(memoryRefusal({ fileBytes: 2 ** 50, metadata, contextTokens: 4_096 }, null, 0)).toBeNull();
});
