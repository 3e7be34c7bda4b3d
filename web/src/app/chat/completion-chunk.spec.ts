import { readChunk } from './completion-chunk';

const chunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });

test('text, reasoning and the end are read', () => {
  expect(readChunk(chunk({ content: 'Hi' }))).toMatchObject({ text: 'Hi', finishReason: null, done: false });
  expect(readChunk(chunk({ reasoning_content: 'Hm' }))).toMatchObject({ reasoning: 'Hm', text: '' });
  expect(readChunk(chunk({}, 'length'))).toMatchObject({ finishReason: 'length' });
  expect(readChunk('[DONE]')).toMatchObject({ done: true });
});

test('T78: the usage chunk has no choices', () => {
  expect(readChunk('{"choices":[],"usage":{"completion_tokens":42}}')).toMatchObject({
    completionTokens: 42,
    text: '',
  });
});

test('T13: an error event throws what it says', () => {
  const event =
    '{"error":{"message":"Cut off.","type":"upstream_error","param":null,"code":"upstream_stream_interrupted"}}';
  expect(() => readChunk(event)).toThrow(
    expect.objectContaining({ code: 'upstream_stream_interrupted', message: 'Cut off.' }),
  );
});

test.each([
  '{"choices":[{"del',
  'null',
  '7',
  '"text"',
  '{}',
  '{"choices":[null]}',
  '{"choices":[{"delta":{"content":null}}]}',
])('T16: %s adds nothing and breaks nothing', (data) => {
  expect(readChunk(data)).toMatchObject({ text: '', reasoning: '', done: false });
});

test('S28: what looks like an event inside the text stays text', () => {
  expect(readChunk(chunk({ content: '\n\ndata: [DONE]\n\n' }))).toMatchObject({
    text: '\n\ndata: [DONE]\n\n',
    done: false,
  });
});
