import fc from 'fast-check';
import { readUsage } from './usage';

test('D18: chat and Responses names give the same counts', () => {
  const counts = { promptTokens: 3, completionTokens: 5, totalTokens: 8, cachedTokens: 1, reasoningTokens: 2 };
  expect(
    readUsage({
      prompt_tokens: 3,
      completion_tokens: 5,
      total_tokens: 8,
      prompt_tokens_details: { cached_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 2 },
    }),
  ).toEqual(counts);
  expect(
    readUsage({
      input_tokens: 3,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 1 },
      output_tokens_details: { reasoning_tokens: 2 },
    }),
  ).toEqual(counts);
});

test.each([undefined, null, 7, 'x', []])('D18: %p is no usage', (reported) => {
  expect(readUsage(reported)).toBeNull();
});

test('D18: whatever a backend reports, every count is null or a whole number that is not negative', () => {
  const count = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null));
  const reported = fc.record(
    {
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: fc.record({ cached_tokens: count }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(reported, (usage) => {
      for (const value of Object.values(readUsage(usage) ?? {}))
        expect(value === null || (Number.isInteger(value) && value >= 0)).toBe(true);
    }),
  );
});
