import { newAnswer, newConversation, withAnswer, withTurn, type Conversation } from './conversation';
import { loadConversations, removeConversation, saveConversation } from './conversation-storage';

const options = { model: 'm1', system: '', temperature: null, maxTokens: null };
const at = (updatedAt: number): Conversation => newConversation(options, updatedAt);

beforeEach(() => localStorage.clear());
afterEach(() => jest.restoreAllMocks());

test('what was saved comes back, newest first, for that account only', () => {
  const [old, recent, foreign] = [at(1), at(2), at(3)];
  saveConversation('acc-1', old);
  saveConversation('acc-1', recent);
  saveConversation('acc-2', foreign);
  expect(loadConversations('acc-1')).toEqual([recent, old]);
  removeConversation('acc-1', recent.id);
  expect(loadConversations('acc-1')).toEqual([old]);
});

test('an answer that was coming when the page was closed says so, and where its task is', () => {
  const turn = { id: 't', question: 'q', answers: [], shown: 0 };
  const answer = { ...newAnswer('m1', 0), text: 'Half', state: 'streaming' as const, taskId: 'task-1' };
  saveConversation('acc-1', withAnswer(withTurn(at(1), turn, 1), 't', answer, 1));
  const loaded = loadConversations('acc-1')[0]?.turns[0]?.answers[0];
  expect(loaded).toMatchObject({ state: 'failed', text: 'Half', problem: { code: 'page_closed', taskId: 'task-1' } });
});

test('damaged and foreign entries are passed over', () => {
  localStorage.setItem('soai.chat.acc-1.x', '{broken');
  localStorage.setItem('soai.chat.acc-1.y', '{"id":1}');
  localStorage.setItem('soai.chat.acc-1.z', 'null');
  expect(loadConversations('acc-1')).toEqual([]);
});

test('the fifty newest are kept', () => {
  for (let updatedAt = 1; updatedAt <= 53; updatedAt += 1) saveConversation('acc-1', at(updatedAt));
  const kept = loadConversations('acc-1');
  expect(kept).toHaveLength(50);
  expect(kept.at(-1)?.updatedAt).toBe(4);
});

test('when the browser is full the oldest make room; alone too large, it says so', () => {
  const [oldest, older, large] = [at(1), at(2), at(3)];
  saveConversation('acc-1', oldest);
  saveConversation('acc-1', older);
  const write = Storage.prototype.setItem;
  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(function (this: Storage, key: string, value: string) {
    if (this.length >= 2) throw new DOMException('full', 'QuotaExceededError');
    write.call(this, key, value);
  });
  expect(saveConversation('acc-1', large)).toBe(true);
  expect(loadConversations('acc-1').map(({ updatedAt }) => updatedAt)).toEqual([3, 2]);

  jest.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(saveConversation('acc-1', at(4))).toBe(false);
});
