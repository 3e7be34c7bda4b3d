import { spokenOperation } from './spoken-operation';

test.each([
  ['responses', ['chat', 'responses'], 'responses'],
  ['responses', ['chat', 'tools'], 'chat'],
  ['responses', [], 'chat'],
  ['responses', ['embeddings'], null],
  ['chat', ['chat', 'responses'], 'chat'],
  ['chat', ['responses'], 'responses'],
  ['chat', [], 'chat'],
  ['completions', ['chat', 'responses'], null],
  ['completions', [], 'completions'],
  ['embeddings', ['embeddings'], 'embeddings'],
] as const)('D3: %s of a model that offers %j is asked in %s', (operation, capabilities, spoken) => {
  expect(spokenOperation(operation, capabilities)).toBe(spoken);
});
