/** Usage over HTTP; the sums themselves are the store's (`test/store/conformance/usage.ts`). */
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import type { UsageFilter, UsageSums } from '../../store/store';
import { usageSums } from '../contract/usage';
import { listOf } from './lists';

let api: ApiUnderTest;
let asked: UsageFilter[];
let stored: UsageSums[];

beforeEach(async () => {
  api = await startApi();
  asked = [];
  stored = [];
  Object.assign(api.store, {
    usage: {
      sums: (filter: UsageFilter) => {
        asked.push(filter);
        return Promise.resolve(stored);
      },
    },
  });
});
afterEach(() => api.close());

const sums: UsageSums = {
  group: {},
  requests: 4,
  completed: 2,
  failed: 1,
  cancelled: 1,
  attempts: 5,
  promptTokens: 100,
  completionTokens: 60,
  cachedTokens: 10,
  reasoningTokens: 7,
  queueMs: 90,
  queued: 3,
  firstTokenMs: 500,
  firstTokens: 2,
  outputMs: 3_000,
  outputTokens: 60,
};

test('usage: sums become means, and tokens a second', async () => {
  stored = [{ ...sums, group: { served_model: '', plugin: '', account: api.user.id, model: 'm1' } }];
  const answer = await api.get('/api/v1/usage?by=served_model,plugin,account,model', bearer(api.adminKey));
  const body = answer.json();
  expect(listOf(usageSums).strict().parse(body)).toEqual(body);
  expect(body.data[0]).toEqual({
    served_model: null,
    plugin: null,
    account: 'ada',
    model: 'm1',
    requests: 4,
    completed: 2,
    failed: 1,
    cancelled: 1,
    attempts: 5,
    prompt_tokens: 100,
    completion_tokens: 60,
    cached_tokens: 10,
    reasoning_tokens: 7,
    mean_queue_ms: 30,
    mean_first_token_ms: 250,
    tokens_per_second: 20,
  });
});

test('usage: nothing to divide by is null, not zero or NaN', async () => {
  stored = [{ ...sums, queued: 0, firstTokens: 0, outputMs: 0 }];
  const { data } = (await api.get('/api/v1/usage?by=', bearer(api.adminKey))).json();
  expect(data[0]).toMatchObject({ mean_queue_ms: null, mean_first_token_ms: null, tokens_per_second: null });
});

test('usage: the last 30 days by day unless told otherwise', async () => {
  api.clock.now = Date.UTC(2026, 2, 31, 23, 59);
  await api.get('/api/v1/usage', bearer(api.adminKey));
  await api.get('/api/v1/usage?from=2026-01-01&to=2026-01-02&owner=k1&by=owner,owner', bearer(api.adminKey));
  expect(asked).toMatchObject([
    { by: ['day'], from: '2026-03-01', to: '2026-03-31', accountId: undefined },
    { by: ['owner'], from: '2026-01-01', to: '2026-01-02', ownerId: 'k1' },
  ]);
});

test('S17: a standard account sees its own usage only', async () => {
  await api.get('/api/v1/usage?by=account', bearer(api.userKey));
  expect(asked).toMatchObject([{ accountId: api.user.id }]);
  expect((await api.get('/api/v1/usage')).status).toBe(401);
});

test.each([
  ['by=colour', 'by', "can't group by 'colour'"],
  ['from=yesterday', 'from', 'from'],
  ['to=2026-02-30', 'to', 'to'],
  ['from=2026-02-02&to=2026-02-01', 'from', 'lies after'],
  ['month=2', 'month', 'month'],
])('usage: %s is refused by name', async (query, param, words) => {
  const answer = await api.get(`/api/v1/usage?${query}`, bearer(api.adminKey));
  expect(answer.status).toBe(400);
  expect(answer.json().error).toMatchObject({ param, message: expect.stringContaining(words) });
  expect(asked).toEqual([]);
});
