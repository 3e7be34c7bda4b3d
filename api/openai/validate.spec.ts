import { AppError } from '../errors/app-error';
import { chatRequest, completionRequest, embeddingRequest } from './requests';
import { validate } from './validate';

const good = { model: 'm1', messages: [{ role: 'user', content: 'hi' }] };

function fault(
  body: unknown,
  schema = chatRequest as Parameters<typeof validate>[0],
): { code: string; param: string | null } {
  try {
    validate(schema, body);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error('the body was let through');
}

test.each([
  [{ messages: good.messages }, 'missing_required_parameter', 'model'],
  [{ model: 'm1' }, 'missing_required_parameter', 'messages'],
  [{ ...good, model: 7 }, 'invalid_type', 'model'],
  [{ ...good, model: '' }, 'invalid_value', 'model'],
  [{ ...good, messages: [] }, 'invalid_value', 'messages'],
  [{ ...good, messages: 'hi' }, 'invalid_type', 'messages'],
  [{ ...good, messages: [{ content: 'hi' }] }, 'missing_required_parameter', 'messages[0].role'],
  [
    { ...good, messages: [{ role: 'user', content: [{ text: 'no type' }] }] },
    'missing_required_parameter',
    'messages[0].content[0].type',
  ],
  [{ ...good, max_tokens: -1 }, 'invalid_value', 'max_tokens'],
  [{ ...good, max_tokens: 1e9 }, 'invalid_value', 'max_tokens'],
  [{ ...good, max_tokens: 'many' }, 'invalid_type', 'max_tokens'],
  [{ ...good, max_completion_tokens: 0 }, 'invalid_value', 'max_completion_tokens'],
  [{ ...good, n: 1000 }, 'invalid_value', 'n'],
  [{ ...good, temperature: 9 }, 'invalid_value', 'temperature'],
  [{ ...good, stream: 'yes' }, 'invalid_type', 'stream'],
  [{ ...good, stop: Array(65).fill('x') }, 'invalid_value', 'stop'],
  [{ ...good, tools: Array(1025).fill({ type: 'function' }) }, 'invalid_value', 'tools'],
  [{ ...good, stream_options: { include_usage: true } }, 'invalid_value', 'stream_options'],
  [{ ...good, service_tier: 'gold' }, 'invalid_value', 'service_tier'],
  [[], 'invalid_type', null],
  [null, 'invalid_type', null],
  ['text', 'invalid_type', null],
])('T84, S52: %j is refused by name', (body, code, param) => {
  expect(fault(body)).toEqual({ code, param });
});

test.each([
  good,
  { ...good, max_tokens: null, stop: null, tools: null, stream_options: null },
  { ...good, stream: true, stream_options: { include_usage: true, x_more: 1 } },
  { ...good, enable_thinking: false, x_vendor: { a: [1] } },
  {
    ...good,
    messages: [
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] },
      { role: 'tool', content: 'x', tool_call_id: 'c1' },
    ],
  },
])('T73, T80: %j is none of our business to refuse', (body) => {
  expect(() => validate(chatRequest, body)).not.toThrow();
});

test('T84: the other routes name their own required parameter', () => {
  const code = 'missing_required_parameter';
  expect(fault({ model: 'm1' }, completionRequest)).toEqual({ code, param: 'prompt' });
  expect(fault({ model: 'm1' }, embeddingRequest)).toEqual({ code, param: 'input' });
  expect(fault({ model: 'm1', input: [] }, embeddingRequest)).toEqual({ code: 'invalid_value', param: 'input' });
});
