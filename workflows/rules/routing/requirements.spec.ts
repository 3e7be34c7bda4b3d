import { lacking } from './capabilities';
import { readRequirements } from './requirements';

const chat = (more: Record<string, unknown> = {}) =>
  readRequirements('chat', { messages: [{ role: 'user', content: 'hi' }], ...more });
const parts = (...content: unknown[]) => chat({ messages: [{ role: 'user', content }] }).modalities;
const needs = (more: Record<string, unknown>) => chat(more).features;

describe('D3: what a chat request needs', () => {
  test.each([
    ['nothing but text', {}, []],
    ['streaming', { stream: true }, []],
    ['tools', { tools: [{ type: 'function' }] }, ['tools']],
    ['tools by choice', { tools: [{ type: 'function' }], tool_choice: 'required' }, ['tools']],
    ['tools that may not be called', { tools: [{ type: 'function' }], tool_choice: 'none' }, []],
    ['an empty list of tools', { tools: [] }, []],
    ['functions as they were', { functions: [{ name: 'f' }] }, ['tools']],
    ['JSON mode', { response_format: { type: 'json_object' } }, ['json_schema']],
    ['a schema', { response_format: { type: 'json_schema', json_schema: {} } }, ['json_schema']],
    ['plain text as a format', { response_format: { type: 'text' } }, []],
    ['reasoning', { reasoning_effort: 'low' }, ['reasoning']],
    ['no reasoning', { reasoning_effort: 'none' }, []],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 1_024 } }, ['reasoning']],
    ['no thinking', { thinking: { type: 'disabled' } }, []],
  ])('%s', (_name, body, expected) => expect(needs(body)).toEqual(expected));

  test('the kinds of its parts', () => {
    expect(parts({ type: 'text', text: 'x' })).toEqual(['text']);
    expect(parts({ type: 'text', text: 'x' }, { type: 'image_url' })).toEqual(['text', 'image']);
    expect(parts({ type: 'input_audio' }, { type: 'file' })).toEqual(['audio', 'file']);
    expect(parts({ type: 'something new' })).toEqual([]);
    expect(chat({ modalities: ['text', 'audio'] }).modalities).toEqual(['text', 'audio']);
  });
});

test('D3: other routes need their own capability and are read in their own shape', () => {
  expect(readRequirements('embeddings', { input: ['a', 'b'] })).toEqual({
    operation: 'embeddings',
    features: [],
    modalities: ['text'],
    contextTokens: 0,
  });
  expect(readRequirements('completions', { prompt: [1, 2, 3] }).contextTokens).toBe(3);
  const responses = readRequirements('responses', {
    input: [{ role: 'user', content: [{ type: 'input_image' }, { type: 'input_text', text: 'what is it' }] }],
    tools: [{ type: 'function' }],
    reasoning: { effort: 'high' },
    text: { format: { type: 'json_schema' } },
  });
  expect(responses.features).toEqual(['tools', 'json_schema', 'reasoning']);
  expect(responses.modalities).toEqual(['image', 'text']);
  expect(readRequirements('responses', { input: 'hi' }).modalities).toEqual(['text']);
});

test('D3: the context is estimated low, and with the answer the client allows', () => {
  const long = 'x'.repeat(1_000_000);
  expect(chat({ messages: [{ role: 'user', content: long }] }).contextTokens).toBe(200_000);
  expect(chat({ messages: [{ role: 'user', content: '漢'.repeat(100) }] }).contextTokens).toBe(50);
  expect(chat({ max_tokens: 500 }).contextTokens).toBe(500);
});

test('D3: chat and responses serve each other by translation, and what is not declared is unknown', () => {
  expect([lacking(['chat'], 'responses', []), lacking(['responses'], 'chat', [])]).toEqual([null, null]);
  expect([lacking(['chat'], 'embeddings', []), lacking(['chat'], 'chat', ['tools'])]).toEqual(['embeddings', 'tools']);
  expect(lacking([], 'embeddings', ['reasoning'])).toBeNull();
});
