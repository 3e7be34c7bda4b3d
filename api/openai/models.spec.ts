/** GET /v1/models and /v1/models/{id} over HTTP, and as the OpenAI SDK sees them. */
import OpenAI from 'openai';
import type { Runtime } from '../../activities/runtime';
import { settingsSchema } from '../../config/schema';
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { modelRow } from '../../test/api/model-world';
import { openAiRoutes } from './routes';

let api: ApiUnderTest;
let user: Record<string, string>;

const virtual = (name: string, members: string[], enabled = true) => ({
  name,
  strategy: 'failover' as const,
  members,
  enabled,
  createdAt: 5_000,
  updatedAt: 5_000,
});

beforeEach(async () => {
  api = await startApi({
    openAiRoutes: (router, models) => {
      // Only what lists models is asked here.
      const { catalogue, plugins } = models.deps();
      openAiRoutes({ catalogue, plugins } as Partial<Runtime> as Runtime, settingsSchema.parse({}))(router);
    },
  });
  const { catalogue } = api.store;
  await catalogue.addModel({ ...modelRow('org/text 7B'), capabilities: ['chat', 'tools'], contextTokens: 4_096 });
  await catalogue.addModel({
    ...modelRow('eyes'),
    modalities: ['text', 'image'],
    aliases: ['a/b'],
    contextTokens: 2_048,
  });
  await catalogue.addModel({ ...modelRow('off'), enabled: false });
  await catalogue.addVirtualModel(virtual('My team/v1.0', ['org/text 7B', 'eyes']));
  await catalogue.addVirtualModel(virtual('resting', ['org/text 7B', 'eyes'], false));
  await api.models.catalogue.refresh();
  user = bearer(api.userKey);
});
afterEach(() => api.close());

const TEAM = {
  id: 'My team/v1.0',
  object: 'model',
  created: 5,
  owned_by: 'soai',
  capabilities: ['chat', 'tools'],
  modalities: ['text', 'image'],
  context_tokens: 4_096,
  virtual: true,
};

test('D5: virtual models are listed with the union of their members, disabled ones are absent', async () => {
  const { object, data } = (await api.get('/v1/models', user)).json();
  expect(object).toBe('list');
  expect(data.map(({ id }: { id: string }) => id)).toEqual(['org/text 7B', 'eyes', 'My team/v1.0']);
  expect(data.at(-1)).toEqual(TEAM);
});

test('D8: one that is disabled or deleted vanishes at once', async () => {
  const { catalogue } = api.store;
  await catalogue.changeVirtualModel(virtual('My team/v1.0', ['org/text 7B', 'eyes'], false));
  await api.models.catalogue.refresh();
  expect((await api.get('/v1/models', user)).json().data).toHaveLength(2);
  expect((await api.get('/v1/models/My%20team%2Fv1.0', user)).json().error.code).toBe('model_not_found');
});

test.each([
  ['My%20team%2Fv1.0', 'My team/v1.0'],
  ['My%20team/v1.0', 'My team/v1.0'],
  ['my%20TEAM/V1.0', 'My team/v1.0'],
  ['org%2Ftext%207B', 'org/text 7B'],
  ['org/text%207B', 'org/text 7B'],
  ['a/b', 'eyes'],
  ['a%2Fb', 'eyes'],
])('contract 6: /v1/models/%s is %s', async (path, id) => {
  const answer = await api.get(`/v1/models/${path}`, user);
  expect([answer.status, answer.json().id]).toEqual([200, id]);
});

test.each(['resting', 'off', 'nope', '100%25', '%E0%A4%A', 'a/b/c', 'My+team/v1.0'])(
  'contract 6: /v1/models/%s is 404 in OpenAI words',
  async (path) => {
    const answer = await api.get(`/v1/models/${path}`, user);
    expect(answer.status).toBe(404);
    expect(answer.json().error).toMatchObject({ code: 'model_not_found', param: 'model' });
  },
);

test('D5: the SDK lists and retrieves a virtual model like any other', async () => {
  const client = new OpenAI({ apiKey: api.userKey, baseURL: `${api.url}/v1`, maxRetries: 0 });
  const names: string[] = [];
  for await (const model of client.models.list()) names.push(model.id);
  expect(names).toContain('My team/v1.0');
  expect(await client.models.retrieve('My team/v1.0')).toEqual(TEAM);
});

test('a virtual model whose members are all gone is not offered', async () => {
  await api.store.catalogue.addVirtualModel(virtual('hollow', ['gone', 'lost']));
  await api.models.catalogue.refresh();
  expect((await api.get('/v1/models/hollow', user)).status).toBe(404);
});
