import { readJsonAnswer } from './json-answer';
import type { BackendOperation } from './vocabulary';

const read = (value: unknown, operation: BackendOperation = 'chat') =>
  readJsonAnswer(typeof value === 'string' ? value : JSON.stringify(value), { operation, clientModel: 'vm' });

test('D5, T82: the answer keeps its bytes, but the model is the one asked for', () => {
  const text =
    '{"id":"x", "model":"up-a","choices":[{"message":{"content":null},"p":1.0}],"usage":{"prompt_tokens":1,"completion_tokens":2}}';
  expect(read(text)).toEqual({
    kind: 'answer',
    text: '{"id":"x","model":"vm","choices":[{"message":{"content":null},"p":1.0}],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
    usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedTokens: null, reasoningTokens: null },
  });
});

test.each<[BackendOperation, unknown]>([
  ['chat', { choices: [{}] }],
  ['completions', { choices: [{ text: '' }] }],
  ['embeddings', { data: [] }],
  ['responses', { output: [], error: null }],
])('K: %s answers of their own shape are answers', (operation, answer) => {
  expect(read(answer, operation)).toMatchObject({ kind: 'answer', usage: null });
});

test.each<[BackendOperation, unknown]>([
  ['chat', ''],
  ['chat', '<html></html>'],
  ['chat', '{"choices":[{"mess'],
  ['chat', []],
  ['chat', 'null'],
  ['chat', {}],
  ['chat', { choices: [] }],
  ['chat', { choices: 'x' }],
  ['completions', { data: [] }],
  ['embeddings', { choices: [{}] }],
  ['responses', { choices: [{}] }],
])('K, D16: for %s, %p is malformed', (operation, answer) => {
  expect(read(answer, operation)).toMatchObject({ kind: 'failure', facts: { kind: 'malformed' } });
});

test('K: a 200 with an error body is a failed call, its status told where it names one', () => {
  expect(read({ error: { message: 'over quota', code: 'insufficient_quota' } })).toMatchObject({
    kind: 'failure',
    facts: { kind: 'status', status: 429 },
    message: 'over quota',
  });
  expect(read({ error: { message: 'odd' }, choices: [{}] })).toMatchObject({
    kind: 'failure',
    facts: { kind: 'malformed' },
  });
});

test('K: what is kept of a failed answer is at most 4 KiB', () => {
  const answer = read({ error: { message: 'x'.repeat(10_000) } });
  expect(answer.kind === 'failure' && answer.facts.body?.length).toBe(4_096);
});
