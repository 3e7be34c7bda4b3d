import {
  newAnswer,
  newConversation,
  requestFor,
  titleFrom,
  withAnswer,
  withTurn,
  type Answer,
  type Conversation,
} from './conversation';

const options = { model: 'm1', system: '', temperature: null, maxTokens: null };

function talk(...turns: [question: string, ...answers: Partial<Answer>[]][]): Conversation {
  return turns.reduce(
    (conversation, [question, ...answers]) => {
      const turn = { id: question, question, answers: [], shown: 0 };
      return answers.reduce<Conversation>(
        (known, answer) => withAnswer(known, question, { ...newAnswer('m1', 0), ...answer }, 1),
        withTurn(conversation, turn, 1),
      );
    },
    newConversation(options, 0),
  );
}

test('everything answered before is sent, then the question', () => {
  const conversation = talk(['a', { text: 'A' }], ['b', { text: 'B' }], ['c']);
  expect(requestFor(conversation, 'c').messages).toEqual([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'A' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'B' },
    { role: 'user', content: 'c' },
  ]);
});

test('an unanswered question is left out, so that roles take turns', () => {
  const conversation = talk(['a', { text: '', state: 'failed' }], ['b']);
  expect(requestFor(conversation, 'b').messages).toEqual([{ role: 'user', content: 'b' }]);
});

test('a retry asks the same again and the newest answer counts afterwards', () => {
  const conversation = talk(['a', { text: 'old' }, { text: 'new' }], ['b']);
  expect(requestFor(conversation, 'a').messages).toEqual([{ role: 'user', content: 'a' }]);
  expect(requestFor(conversation, 'b').messages[1]?.content).toBe('new');
  expect(conversation.turns[0]?.answers.map((answer) => answer.text)).toEqual(['old', 'new']);
});

test('options are sent only when they were set', () => {
  const plain = talk(['a']);
  expect(requestFor(plain, 'a')).toEqual({ model: 'm1', messages: [{ role: 'user', content: 'a' }] });
  const set = { ...plain, options: { model: 'm1', system: 'Be brief.', temperature: 0, maxTokens: 64 } };
  expect(requestFor(set, 'a')).toEqual({
    model: 'm1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a' },
    ],
    temperature: 0,
    max_tokens: 64,
  });
});

test('the first question names the conversation, shortened to one line', () => {
  expect(talk(['First line\nsecond'], ['other']).title).toBe('First line');
  expect(titleFrom('x'.repeat(100))).toHaveLength(60);
  expect(titleFrom('  ')).toBe('New chat');
});
