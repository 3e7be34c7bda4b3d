import type { Store } from '../../../store/store';
import { contextOf } from './conversation';
import { itemPage } from './item-page';
import { StoredResponses } from './stored-responses';

const TASK = 'task_01890000-0000-7000-8000-000000000001';
const ID = 'resp_01890000000070008000000000000001';
const OUTPUT = [{ id: 'msg_018900000000700080000000000000010000', type: 'message', role: 'assistant', content: [] }];

/** One response of account a. */
function storeWith(task: Record<string, unknown>, answer: object | null): StoredResponses {
  const input = [
    { role: 'user', content: 'earlier' },
    { role: 'user', content: 'own' },
  ];
  const record = { id: ID, taskId: TASK, accountId: 'a', previousId: null, contextItems: 1, createdAt: 1 };
  return new StoredResponses({
    responses: { get: async (id: string) => (id === ID ? record : null) },
    tasks: {
      get: async () => ({ id: TASK, model: 'm', acceptedAt: 1_000, background: false, finishedAt: 2_000, ...task }),
      requestBody: async () => JSON.stringify({ model: 'm', input }),
      answer: async () => answer && { contentType: 'application/json', text: JSON.stringify(answer) },
    },
  } as unknown as Store);
}

const completed = storeWith({ state: 'completed' }, { id: ID, output: OUTPUT });
const context = (
  accountId: string,
  previousId: string | null,
  input: unknown,
  responses = completed,
  maxBodyBytes = 9_999,
) => contextOf(accountId, previousId, input, { responses, maxBodyBytes });
const notFound = (param: string | null) => ({ code: 'response_not_found', param });

test('S17: another account’s response looks exactly like none', async () => {
  await expect(completed.find('a', ID)).resolves.toMatchObject({ record: { id: ID } });
  const [foreign, unknown] = await Promise.all(
    [completed.find('b', ID), completed.find('a', 'resp_0')].map((found) => found.catch((error: unknown) => error)),
  );
  expect(foreign).toMatchObject(notFound(null));
  expect(unknown).toMatchObject(notFound(null));
});

test('S18: nor can it be continued, or its items be referred to', async () => {
  const reference = [{ type: 'item_reference', id: OUTPUT[0]!.id }];
  await expect(context('b', ID, 'x')).rejects.toMatchObject(notFound('previous_response_id'));
  await expect(context('b', null, reference)).rejects.toMatchObject(notFound('input[0].id'));
  await expect(context('a', null, reference)).resolves.toEqual({ input: OUTPUT, contextItems: 0 });
});

test('T92: the context of a turn is the whole conversation before it', async () => {
  await expect(context('a', null, 'x')).resolves.toBeNull();
  await expect(context('a', ID, 'new')).resolves.toEqual({
    contextItems: 3,
    input: [
      { role: 'user', content: 'earlier' },
      { role: 'user', content: 'own' },
      ...OUTPUT,
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'new' }] },
    ],
  });
});

test('contract 5: what is not complete can’t be continued', async () => {
  for (const state of ['queued', 'running', 'failed', 'cancelled']) {
    await expect(context('a', ID, 'x', storeWith({ state }, null))).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'previous_response_id',
    });
  }
});

test.each([
  ['queued', null, { status: 'queued', error: null, output: [] }],
  ['deferred', null, { status: 'queued' }],
  ['running', null, { status: 'in_progress' }],
  ['failed', 'upstream_timeout', { status: 'failed', error: { code: 'server_error', message: 'It took too long.' } }],
  ['failed', 'rate_limit_exceeded', { status: 'failed', error: { code: 'rate_limit_exceeded' } }],
  ['cancelled', 'cancelled', { status: 'cancelled', output: OUTPUT, error: null }],
] as const)('contract 5: a task that is %s (%s)', async (state, reason, expected) => {
  const ended = reason !== null;
  const stored = storeWith(
    { state, reason, sentence: 'It took too long.', finishedAt: ended ? 1 : null },
    { output: OUTPUT },
  );
  const found = await stored.find('a', ID);
  expect(await stored.object(found)).toMatchObject({ id: ID, object: 'response', model: 'm', ...expected });
});

test('contract 5: input items are its own, with an id each, in pages either way', async () => {
  const items = await completed.inputItems(await completed.find('a', ID));
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^msg_[0-9a-f]{32}i0000$/),
      type: 'message',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'own' }],
    },
  ]);
  const three = ['a', 'b', 'c'].map((id) => ({ id }));
  const page = (over: object) => itemPage(three, { limit: 2, order: 'asc', ...over });
  expect(page({})).toEqual({ object: 'list', data: three.slice(0, 2), has_more: true, first_id: 'a', last_id: 'b' });
  expect(page({ order: 'desc', after: 'b' })).toMatchObject({ data: [{ id: 'a' }], has_more: false });
  expect(itemPage([], { limit: 2, order: 'asc' })).toMatchObject({ data: [], first_id: null, last_id: null });
  expect(() => page({ after: 'z' })).toThrow(expect.objectContaining({ param: 'after' }));
});

test('S52: what a request refers to is bounded before it is put together', async () => {
  await expect(context('a', ID, 'new', completed, 100)).rejects.toMatchObject({
    code: 'request_too_large',
    param: 'previous_response_id',
  });
  const reference = { type: 'item_reference', id: OUTPUT[0]!.id };
  const many = (count: number) => Array.from({ length: count }, () => reference);
  await expect(context('a', null, many(1_025))).rejects.toMatchObject({ code: 'invalid_value', param: 'input' });
  await expect(context('a', null, many(1_000))).rejects.toMatchObject({ code: 'request_too_large', param: 'input' });
});
