/** The model catalogue over HTTP (spec J). */
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { anAdapter, modelRow } from '../../test/api/model-world';
import { strictly } from '../../test/api/strictly';
import * as contract from '../contract/models';
import { listOf } from './lists';

let api: ApiUnderTest;
let admin: Record<string, string>;

beforeEach(async () => {
  api = await startApi();
  await api.models.addModels('m1', 'm2', 'm3');
  admin = bearer(api.adminKey);
});
afterEach(() => api.close());

const ask = (method: string, path: string, body?: unknown) => api.send(method, `/api/v1${path}`, body, admin);
const addVirtual = (name: string, members: string[], enabled = true) =>
  ask('POST', '/virtual-models', { name, strategy: 'failover', members, enabled });

test('J: added, listed, shown by id and alias, changed and removed', async () => {
  const body = { id: 'org/new model', plugin: 'p1', aliases: ['quick'], capabilities: ['chat', 'tools'] };
  const added = await ask('POST', '/models', body);
  expect(added.status).toBe(201);
  expect(strictly(contract.model, added.json())).toEqual({
    ...body,
    upstream_model: 'org/new model',
    modalities: ['text'],
    context_tokens: null,
    enabled: true,
    origin: 'database',
    defined_in: null,
    virtual_models: [],
    available: true,
    reason: null,
  });
  const list = strictly(listOf(contract.model), (await ask('GET', '/models')).json());
  expect(list.data.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'org/new model']);
  expect((await ask('GET', '/models/quick')).json().id).toBe('org/new model');

  const path = '/models/org%2Fnew%20model';
  const changed = await ask('PATCH', path, { enabled: false, aliases: ['other'], context_tokens: 8_192 });
  expect(changed.json()).toMatchObject({
    enabled: false,
    aliases: ['other'],
    context_tokens: 8_192,
    capabilities: ['chat', 'tools'],
    available: false,
    reason: 'it is disabled.',
  });
  expect((await ask('GET', '/models/quick')).json().error.code).toBe('model_not_found');
  expect(strictly(contract.modelRemoval, (await ask('DELETE', path)).json())).toEqual({
    removed: 'org/new model',
    dry_run: false,
    taken_out_of: [],
    disabled: [],
    still_named_by: [],
  });
  expect((await ask('GET', path)).status).toBe(404);
});

test.each([
  [{ id: 'x', plugin: 'nope' }, 404, 'plugin_not_found'],
  [{ id: 'M1', plugin: 'p1' }, 409, 'name_taken'],
  [{ id: 'x', plugin: 'p1', aliases: ['m2'] }, 409, 'name_taken'],
  [{ id: 'x', plugin: 'p1', aliases: ['a', 'A'] }, 400, 'invalid_value'],
  [{ id: 'x', plugin: 'p1', aliases: ['X'] }, 400, 'invalid_value'],
  [{ id: '../x', plugin: 'p1' }, 400, 'invalid_value'],
  [{ id: 'x', plugin: 'p1', capabilities: ['flying'] }, 400, 'invalid_value'],
  [{ id: 'x', plugin: 'p1', modalities: [] }, 400, 'invalid_value'],
  [{ id: 'x', plugin: 'p1', context_tokens: 0 }, 400, 'invalid_value'],
  [{ id: 'x', plugin: 'p1', origin: 'config' }, 400, 'unsupported_parameter'],
])('D2: adding %j is refused with %d %s', async (body, status, code) => {
  const answer = await ask('POST', '/models', body);
  expect([answer.status, answer.json().error.code]).toEqual([status, code]);
  expect(api.store.modelRows.size).toBe(3);
});

test('a model keeps the names it has, its own id among them', async () => {
  expect((await ask('PATCH', '/models/m1', { aliases: ['a'] })).status).toBe(200);
  expect((await ask('PATCH', '/models/m1', { aliases: ['a', 'b'] })).status).toBe(200);
  expect((await ask('PATCH', '/models/m2', { aliases: ['B'] })).json().error.message).toContain("alias 'b'");
});

describe('removing a model that virtual models have', () => {
  beforeEach(async () => {
    await addVirtual('three', ['m1', 'm2', 'm3']);
    await addVirtual('two', ['m1', 'm2']);
    await addVirtual('others', ['m2', 'm3']);
  });

  test('it is refused, naming them and what would happen', async () => {
    const answer = await ask('DELETE', '/models/m1');
    expect(answer.status).toBe(409);
    const { error } = answer.json();
    expect(error.code).toBe('model_in_use');
    expect(error.faults.map(({ subject }: { subject: string }) => subject)).toEqual(['three', 'two']);
    expect(error.message).toMatch(/out of 'three'.*too few members to 'two', which would be disabled/);
    expect(api.store.modelRows.has('m1')).toBe(true);
    expect((await ask('GET', '/models/m1')).json().virtual_models).toEqual(['three', 'two']);
  });

  test('with dry_run it tells, with force it does: none is left broken in silence', async () => {
    const expected = { removed: 'm1', taken_out_of: ['three'], disabled: ['two'], still_named_by: [] };
    expect((await ask('DELETE', '/models/m1?dry_run=true')).json()).toEqual({ ...expected, dry_run: true });
    expect(api.store.virtualRows.get('two')!.enabled).toBe(true);
    expect((await ask('DELETE', '/models/m1?force=true')).json()).toEqual({ ...expected, dry_run: false });
    expect(api.store.virtualRows.get('three')).toMatchObject({ members: ['m2', 'm3'], enabled: true });
    expect(api.store.virtualRows.get('two')).toMatchObject({ members: ['m2'], enabled: false });
    expect(api.store.virtualRows.get('others')).toMatchObject({ members: ['m2', 'm3'], enabled: true });
  });

  test('one with too few members stays out of use until it is given some', async () => {
    await ask('DELETE', '/models/m1?force=true');
    expect((await ask('POST', '/virtual-models/two/enable')).json().error.code).toBe('members_rejected');
    const mended = await ask('PATCH', '/virtual-models/two', { members: ['m2', 'm3'], enabled: true });
    expect(mended.json()).toMatchObject({ members: ['m2', 'm3'], enabled: true });
  });

  test.each(['force=yes', 'forced=true', 'force=true&force=true'])('?%s is refused', async (query) => {
    expect((await ask('DELETE', `/models/m1?${query}`)).status).toBe(400);
    expect(api.store.modelRows.has('m1')).toBe(true);
  });
});

describe("a plugin's own models", () => {
  const found = (upstreamModel: string, fields = {}) => ({
    upstreamModel,
    capabilities: ['chat', 'tools', 'of-another-time'],
    modalities: ['text', 'image'],
    contextTokens: 4_096,
    ...fields,
  });

  beforeEach(() => {
    const list = [found('m1'), found('Nice.gguf'), found('m2-x'), found('weird\u00e9 ..name')];
    api.models.addPlugin('p2', { adapter: anAdapter(list) });
    api.models.addPlugin('p1', { adapter: anAdapter([found('m1'), found('m9')]) });
  });

  test('they are listed with the id they have in the catalogue', async () => {
    const answer = await ask('GET', '/plugins/p1/models');
    const list = strictly(listOf(contract.pluginModel), answer.json());
    expect(list.data.map(({ upstream_model, model }) => [upstream_model, model])).toEqual([
      ['m1', 'm1'],
      ['m9', null],
    ]);
  });

  test('J: imported whole, with what the list tells, under names that are free; repeating it is harmless', async () => {
    const answer = await ask('POST', '/plugins/p2/models/import', {});
    const imported = strictly(contract.importedModels, answer.json());
    expect(imported.added.map(({ id, upstream_model }) => [id, upstream_model])).toEqual([
      ['p2/m1', 'm1'],
      ['Nice', 'Nice.gguf'],
      ['m2-x', 'm2-x'],
      ['weird- .name', 'weird\u00e9 ..name'],
    ]);
    expect(imported.added[0]).toMatchObject({
      plugin: 'p2',
      capabilities: ['chat', 'tools'],
      modalities: ['text', 'image'],
      context_tokens: 4_096,
    });
    const again = (await ask('POST', '/plugins/p2/models/import', {})).json();
    expect(again.added).toEqual([]);
    expect(again.skipped.map(({ reason }: { reason: string }) => reason)).toContain(
      "It is in the catalogue as 'p2/m1'.",
    );
  });

  test('only what is asked for, and what is not there is said', async () => {
    const body = { models: ['m9', 'nope', 'm1'], enabled: false };
    const { added, skipped } = (await ask('POST', '/plugins/p1/models/import', body)).json();
    expect(added.map((model: { id: string; enabled: boolean }) => [model.id, model.enabled])).toEqual([['m9', false]]);
    expect(skipped.map(({ upstream_model }: { upstream_model: string }) => upstream_model)).toEqual(['nope', 'm1']);
  });

  test('a backend that does not tell is 502 with its reason, an unusable plugin 503, none 404', async () => {
    api.models.addPlugin('down', { adapter: anAdapter(new Error('connection refused')) });
    api.models.addPlugin('old', { adapter: null, incompatible: 'unknown package' });
    const failed = await ask('GET', '/plugins/down/models');
    expect(failed.status).toBe(502);
    expect(failed.json().error).toMatchObject({ code: 'discovery_failed' });
    expect(failed.json().error.message).toContain('connection refused');
    expect((await ask('GET', '/plugins/old/models')).json().error.code).toBe('plugin_unavailable');
    expect((await ask('POST', '/plugins/nope/models/import', {})).json().error.code).toBe('plugin_not_found');
  });
});

test('a model behind a plugin that can not be used says so', async () => {
  await api.store.catalogue.addModel({ ...modelRow('lost'), pluginId: 'gone' });
  await api.models.catalogue.refresh();
  expect((await ask('GET', '/models/lost')).json()).toMatchObject({
    available: false,
    reason: "its plugin 'gone' is not installed.",
  });
});
