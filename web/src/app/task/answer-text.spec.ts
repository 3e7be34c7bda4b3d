import { answerText } from './answer-text';

test.each([
  [{ choices: [{ message: { content: 'Chat' } }] }, 'Chat'],
  [{ choices: [{ text: 'Completion' }] }, 'Completion'],
  [{ choices: [{ message: { content: null, tool_calls: [] } }] }, null],
  [{ output: [{ type: 'reasoning' }, { content: [{ type: 'output_text', text: 'Response' }] }] }, 'Response'],
  [{ data: [{ embedding: [0.1] }] }, null],
  [{ choices: 'nonsense' }, null],
  [null, null],
])('of %j the readable part is %j', (body, text) => {
  expect(answerText(body)).toBe(text);
});
