/** Virtual models over HTTP: D1, D2, D8, D9. */
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { anAdapter, modelRow } from '../../test/api/model-world';
import { strictly } from '../../test/api/strictly';
import * as management from '../contract/management';
import * as contract from '../contract/models';
import { listOf } from './lists';

const ORIGINS = {
  'MODELS.CATALOG.0': { source: 'file', file: '/etc/soai.yaml', line: 7 },
  'MODELS.ROUTING.VIRTUAL_MODELS.0': { source: 'file', file: '/etc/soai.yaml', line: 21 },
} as const;
const SETTINGS = {
  CATALOG: ['c1', 'c2'].map((ID) => ({ ID, PLUGIN: 'p1', UPSTREAM_MODEL: ID })),
  ROUTING: { VIRTUAL_MODELS: [{ NAME: 'Fixed', STRATEGY: 'failover', MEMBERS: ['c1', 'c2'] }] },
};
const team = { name: 'team', strategy: 'failover', members: ['m1', 'm2'] };

let api: ApiUnderTest;
let admin: Record<string, string>;
let user: Record<string, string>;

beforeEach(async () => {
  api = await startApi({ models: SETTINGS, origins: ORIGINS });
  await api.models.addModels('m1', 'm2', 'm3');
  admin = bearer(api.adminKey);
  user = bearer(api.userKey);
});
afterEach(() => api.close());

const ask = (method: string, path: string, body?: unknown, headers = admin) =>
  api.send(method, `/api/v1${path}`, body, headers);
const create = (fields: object = {}) => ask('POST', '/virtual-models', { ...team, ...fields });

test('D8: created, listed, shown, edited, disabled, enabled and deleted', async () => {
  const created = await create({ name: '  My team/v1.0 ' });
  expect(created.status).toBe(201);
  expect(strictly(contract.virtualModel, created.json())).toMatchObject({
    name: 'My team/v1.0',
    members: ['m1', 'm2'],
    enabled: true,
    origin: 'api',
    defined_in: null,
  });
  const list = strictly(listOf(contract.virtualModel), (await ask('GET', '/virtual-models')).json());
  expect(list.data.map(({ name }) => name)).toEqual(['Fixed', 'My team/v1.0']);

  const path = '/virtual-models/my%20TEAM%2Fv1.0';
  expect((await ask('GET', path)).json().name).toBe('My team/v1.0');
  api.clock.now += 10;
  const put = await ask('PUT', path, { strategy: 'load_balancing', members: ['m3', 'm1'] });
  expect(put.json()).toMatchObject({ strategy: 'load_balancing', members: ['m3', 'm1'], enabled: true });
  expect(put.json().updated_at - put.json().created_at).toBe(10);
  expect((await ask('PATCH', path, { members: ['m2', 'm1'] })).json()).toMatchObject({
    strategy: 'load_balancing',
    members: ['m2', 'm1'],
  });

  expect((await ask('POST', `${path}/disable`)).json().enabled).toBe(false);
  expect((await ask('GET', '/models/m1')).json().enabled).toBe(true);
  expect((await ask('POST', `${path}/enable`)).json().enabled).toBe(true);

  const preview = await ask('DELETE', `${path}?dry_run=true`);
  expect(strictly(contract.virtualModelRemoval, preview.json())).toEqual({
    removed: 'My team/v1.0',
    dry_run: true,
    kept_models: ['m2', 'm1'],
  });
  expect((await ask('GET', path)).status).toBe(200);
  expect((await ask('DELETE', path)).json()).toMatchObject({ dry_run: false, kept_models: ['m2', 'm1'] });
  expect((await ask('GET', path)).json().error.code).toBe('virtual_model_not_found');
  expect((await ask('GET', '/models/m1')).status).toBe(200);
});

describe('D1: members', () => {
  const MEMBERS = ['m1', 'off', 'gone', 'Fixed', 'nick', 'm1', 'lost', 'b1', 'b2', 'b3'];
  const CODES = [
    ['off', 'model_disabled'],
    ['gone', 'unknown_model'],
    ['Fixed', 'nested_virtual_model'],
    ['nick', 'alias'],
    ['m1', 'repeated_member'],
    ['lost', 'plugin_missing'],
    ['b1', 'plugin_disabled'],
    ['b2', 'plugin_incompatible'],
    ['b3', 'plugin_error'],
  ];

  beforeEach(async () => {
    const { store, models } = api;
    models.addPlugin('disabled', { enabled: false });
    models.addPlugin('old', { incompatible: 'needs a newer SoAI' });
    models.addPlugin('broken', { adapter: anAdapter([], 'error') });
    await store.catalogue.addModel({ ...modelRow('off'), enabled: false, aliases: ['nick'] });
    for (const [id, pluginId] of [
      ['lost', 'nowhere'],
      ['b1', 'disabled'],
      ['b2', 'old'],
      ['b3', 'broken'],
    ] as const) {
      await store.catalogue.addModel({ ...modelRow(id), pluginId });
    }
    await models.catalogue.refresh();
  });

  test.each(['POST', 'PUT', 'PATCH'])('%s names every rejected member with its reason', async (method) => {
    if (method !== 'POST') await create();
    const answer =
      method === 'POST'
        ? await create({ members: MEMBERS })
        : await ask(method, '/virtual-models/team', { strategy: 'failover', members: MEMBERS });
    expect(answer.status).toBe(422);
    const { error } = strictly(management.managementError, answer.json());
    expect(error).toMatchObject({ code: 'members_rejected', param: 'members' });
    expect(error.faults?.map(({ subject, code }) => [subject, code])).toEqual(CODES);
    for (const [member] of CODES) expect(error.message).toContain(`'${member}'`);
    expect(error.message).toContain('needs a newer SoAI');
    expect(api.store.virtualRows.get('team')?.members).toEqual(method === 'POST' ? undefined : ['m1', 'm2']);
  });

  test.each([[[]], [['m1']], [['m1', 'm1']]])('%j is too few', async (members) => {
    const { error } = (await create({ members })).json();
    expect(error.code).toBe('members_rejected');
    expect(error.faults.at(-1)).toMatchObject({ subject: null, code: 'too_few_members' });
  });

  test('a change of the strategy alone judges the members again, turning it off or on does not', async () => {
    await create();
    api.models.addPlugin('p1', { enabled: false });
    const answer = await ask('PATCH', '/virtual-models/team', { strategy: 'load_balancing' });
    expect(answer.json().error.faults).toHaveLength(2);
    expect((await ask('POST', '/virtual-models/team/disable')).status).toBe(200);
    expect((await ask('POST', '/virtual-models/team/enable')).status).toBe(200);
  });
});

describe('D2: names', () => {
  beforeEach(async () => {
    await api.store.catalogue.addModel({ ...modelRow('m4'), aliases: ['Nick'] });
    await api.models.catalogue.refresh();
    await create();
  });

  test.each(['TEAM', 'M1', 'nick', 'fixed', 'C1'])('%s is taken', async (name) => {
    const answer = await create({ name });
    expect(answer.status).toBe(409);
    expect(answer.json().error.code).toBe('name_taken');
    expect(answer.headers['x-should-retry']).toBe('false');
  });

  test.each(['Team', 'tEAM', 'FIXED'])('a model, its alias or a new alias can not be called %s', async (name) => {
    for (const body of [
      { id: name, plugin: 'p1' },
      { id: 'fresh', plugin: 'p1', aliases: ['ok', name] },
    ]) {
      expect((await ask('POST', '/models', body)).json().error.code).toBe('name_taken');
    }
    expect((await ask('PATCH', '/models/m1', { aliases: [name] })).json().error.code).toBe('name_taken');
    expect(api.store.modelRows.has('fresh')).toBe(false);
  });

  test.each(['', ' ', '---', 'a:b', 'a..b', 'größe', 'a'.repeat(129)])('%j is refused', async (name) => {
    const answer = await create({ name });
    expect(answer.status).toBe(400);
    expect(answer.json().error.param).toBe('name');
  });

  test('a name is fixed: giving the same one is harmless, another one is refused', async () => {
    const same = { name: 'team', strategy: 'failover', members: ['m2', 'm3'] };
    expect((await ask('PUT', '/virtual-models/team', same)).status).toBe(200);
    for (const method of ['PUT', 'PATCH']) {
      const renamed = await ask(method, '/virtual-models/team', { ...same, name: 'crew' });
      expect(renamed.status).toBe(400);
      expect(renamed.json().error).toMatchObject({ param: 'name', message: expect.stringContaining('fixed') });
    }
  });

  test('when the database is faster, it decides', async () => {
    api.store.virtualRows.set('crew', api.store.virtualRows.get('team')!);
    expect((await create({ name: 'crew' })).json().error.code).toBe('name_taken');
  });
});

describe('D8: what the settings define is read-only', () => {
  test.each([
    ['PUT', '', { strategy: 'failover', members: ['m1', 'm2'] }],
    ['PATCH', '', { enabled: false }],
    ['POST', '/enable', undefined],
    ['POST', '/disable', undefined],
    ['DELETE', '', undefined],
    ['DELETE', '?dry_run=true', undefined],
  ])('%s %s names file, line and what applies a change', async (method, suffix, body) => {
    const answer = await ask(method, `/virtual-models/fixed${suffix}`, body);
    expect(answer.status).toBe(409);
    const { code, message } = answer.json().error;
    expect(code).toBe('defined_in_settings');
    expect(message).toMatch(/'Fixed'.*\/etc\/soai\.yaml:21.*a restart applies it/);
    expect((await ask('GET', '/virtual-models/Fixed')).json()).toMatchObject({ enabled: true, origin: 'config' });
  });

  test.each([
    ['PATCH', { enabled: false }],
    ['DELETE', undefined],
  ])('%s of a model of the settings likewise', async (method, body) => {
    const answer = await ask(method, '/models/c1', body);
    expect(answer.json().error.message).toMatch(/'c1'.*\/etc\/soai\.yaml:7.*a restart applies it/);
  });
});

describe('D9: permissions', () => {
  test('a standard account sees virtual models and the routing', async () => {
    await create();
    for (const path of ['/virtual-models', '/virtual-models/team', '/routing']) {
      expect((await ask('GET', path, undefined, user)).status).toBe(200);
    }
  });

  test('where a settings file is, only administrators are told', async () => {
    expect((await ask('GET', '/virtual-models/Fixed')).json().defined_in).toEqual({
      place: '/etc/soai.yaml:21',
      applied_by: 'restart',
    });
    expect((await ask('GET', '/virtual-models/Fixed', undefined, user)).json().defined_in).toBeNull();
  });

  test.each([
    ['POST', '/virtual-models', team],
    ['PUT', '/virtual-models/team', { strategy: 'failover', members: ['m1', 'm2'] }],
    ['PATCH', '/virtual-models/team', { enabled: false }],
    ['POST', '/virtual-models/team/enable', undefined],
    ['POST', '/virtual-models/team/disable', undefined],
    ['DELETE', '/virtual-models/team', undefined],
    ['POST', '/models', { id: 'x', plugin: 'p1' }],
    ['PATCH', '/models/m1', { enabled: false }],
    ['DELETE', '/models/m1', undefined],
    ['GET', '/plugins/p1/models', undefined],
    ['POST', '/plugins/p1/models/import', {}],
  ])('S49: a standard account may not %s %s', async (method, path, body) => {
    await create();
    const before = [...api.store.virtualRows.values()];
    expect((await ask(method, path, body, user)).status).toBe(403);
    expect([...api.store.virtualRows.values()]).toEqual(before);
    expect(api.store.modelRows.size).toBe(3);
  });
});

describe('GET /routing and member states', () => {
  test('D5: capabilities, modalities and context are the union of the members', async () => {
    await api.store.catalogue.changeModel({ ...modelRow('m1'), capabilities: ['chat', 'tools'], contextTokens: 4_096 });
    await api.store.catalogue.changeModel({ ...modelRow('m2'), modalities: ['text', 'image'], contextTokens: 8_192 });
    await create();
    expect((await ask('GET', '/virtual-models/team')).json()).toMatchObject({
      capabilities: ['chat', 'tools'],
      modalities: ['text', 'image'],
      context_tokens: 8_192,
    });
  });

  test('D3: each member says whether it could be chosen now, and why not', async () => {
    await api.models.addModels('m4', 'm5', 'm6');
    await create({ members: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'] });
    const { store, models, clock } = api;
    await store.catalogue.changeModel({ ...modelRow('m2'), enabled: false });
    await store.catalogue.removeModel('m3');
    for (const id of ['m4', 'm5', 'm6']) await store.catalogue.changeModel({ ...modelRow(id), pluginId: `p-${id}` });
    for (const id of ['p-m4', 'p-m5']) models.addPlugin(id);
    const circuit = { failureCount: 3, lastFailureAt: 1, probing: false };
    models.circuits.set('p-m4', { ...circuit, state: 'open', retryAt: clock.now + 60 });
    models.circuits.set('p-m5', { ...circuit, state: 'half_open', retryAt: null, probing: true });
    models.memberCooldowns.set('m1', clock.now + 15);
    models.virtualCooldowns.set('team', clock.now + 20);
    await models.catalogue.refresh();
    const { member_states: states, cooldown_until } = (await ask('GET', '/virtual-models/team')).json();
    expect(states.map((state: { code: string; until: number }) => [state.code, state.until])).toEqual([
      ['cooldown', clock.now + 15],
      ['disabled', null],
      ['inactive', null],
      ['circuit_open', clock.now + 60],
      ['circuit_probing', null],
      ['plugin_missing', null],
    ]);
    expect(cooldown_until).toBe(clock.now + 20);
    clock.now += 15;
    expect((await ask('GET', '/virtual-models/team')).json().member_states[0]).toEqual({
      model: 'm1',
      plugin: 'p1',
      eligible: true,
      code: null,
      reason: null,
      until: null,
    });
  });

  test('D9: a member that is gone is named to administrators only', async () => {
    await create();
    await api.store.catalogue.removeModel('m1');
    await api.models.catalogue.refresh();
    expect((await ask('GET', '/virtual-models/team')).json().members).toEqual(['m1', 'm2']);
    expect((await ask('GET', '/virtual-models/team', undefined, user)).json().members).toEqual(['m2']);
  });

  test('the settings in force are shown', async () => {
    const routing = strictly(contract.routing, (await ask('GET', '/routing')).json());
    expect(routing.settings).toMatchObject({ fair_task_rotation: true, virtual_model_failover_cooldown_sec: 15 });
    expect(routing.virtual_models.map(({ name }) => name)).toEqual(['Fixed']);
  });
});
