/** Virtual models and the catalogue at run time, through the API and the command, on the real product. */
import type { List } from '../../api/contract/management';
import type { Model, Routing, VirtualModel } from '../../api/contract/models';
import { backends, chat, get, openai, taskDetail, withSoai } from '../harness';
import { json, status } from '../upstream';
import { settings } from './settings';

const fixture = withSoai((upstream) =>
  settings(backends({ id: 'up', url: upstream.url, models: ['m1', 'm2', 'm3'] }), {
    MODELS: { ROUTING: { VIRTUAL_MODELS: [{ NAME: 'fixed', STRATEGY: 'failover', MEMBERS: ['m1', 'm2'] }] } },
  }),
);

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly error?: { readonly code: string; readonly message: string } };
}

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${fixture.soai.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${fixture.soai.key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

const listed = async (): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of openai(fixture.soai).models.list()) ids.push(id);
  return ids;
};

test('D1, D2: every rejected member is named with its reason, and names are unique whatever their case', async () => {
  const create = (name: string, members: string[]) =>
    send('POST', '/virtual-models', { name, strategy: 'failover', members });
  const rejected = await create('broken', ['m1', 'nowhere', 'fixed']);
  expect([rejected.status, rejected.body.error?.code]).toEqual([422, 'members_rejected']);
  expect(rejected.body.error?.message).toMatch(/nowhere.*fixed/s);
  expect((await create('lonely', ['m1', 'm1'])).body.error?.code).toBe('members_rejected');
  expect((await create('../m1', ['m1', 'm2'])).status).toBe(400);
  for (const taken of ['M1', 'FIXED']) {
    expect((await create(taken, ['m1', 'm2'])).body.error?.code).toBe('name_taken');
  }
  expect(await listed()).not.toContain('broken');
});

test('D5, D8: created, asked for, edited, switched off and on, deleted; its members go on', async () => {
  const made = await send('POST', '/virtual-models', { name: 'Team one', strategy: 'failover', members: ['m1', 'm2'] });
  expect([made.status, made.body['origin']]).toEqual([201, 'api']);
  const path = `/virtual-models/${encodeURIComponent('Team one')}`;
  expect(await listed()).toContain('Team one');
  // Listed for the model that is known by this name in any case.
  expect(await openai(fixture.soai).models.retrieve('Team one')).toMatchObject({ id: 'Team one' });

  const first = await chat(fixture.soai, 'Team one');
  expect(await first.json()).toMatchObject({ model: 'Team one' });
  expect(first.headers.get('x-soai-served-by')).toBe('m1');
  const task = await taskDetail(fixture.soai, first.headers.get('x-soai-task-id')!);
  expect(task.plan.map(({ model }) => model)).toEqual(['m1', 'm2']);

  expect((await send('PUT', path, { strategy: 'failover', members: ['m3', 'm1'] })).status).toBe(200);
  expect((await chat(fixture.soai, 'Team one')).headers.get('x-soai-served-by')).toBe('m3');
  expect((await send('PATCH', path, { name: 'other' })).status).toBe(400);

  expect((await send('POST', `${path}/disable`)).body['enabled']).toBe(false);
  const off = await chat(fixture.soai, 'Team one');
  expect([off.status, await off.json()]).toEqual([
    404,
    { error: expect.objectContaining({ code: 'model_not_found', message: expect.stringContaining('disabled') }) },
  ]);
  expect(await listed()).not.toContain('Team one');
  expect((await chat(fixture.soai, 'm3')).status).toBe(200);
  expect((await send('POST', `${path}/enable`)).body['enabled']).toBe(true);

  const preview = await send('DELETE', `${path}?dry_run=true`);
  expect(preview.body).toEqual({ removed: 'Team one', dry_run: true, kept_models: ['m3', 'm1'] });
  expect((await send('DELETE', path)).status).toBe(200);
  expect((await chat(fixture.soai, 'Team one')).status).toBe(404);
  expect((await chat(fixture.soai, 'm1')).status).toBe(200);
});

test('D8: what the settings file defines is read-only here, and the refusal says where it is', async () => {
  for (const [method, path, body] of [
    ['PUT', '/virtual-models/fixed', { strategy: 'failover', members: ['m2', 'm3'] }],
    ['POST', '/virtual-models/fixed/disable', undefined],
    ['DELETE', '/virtual-models/fixed', undefined],
    ['PATCH', '/models/m1', { enabled: false }],
    ['DELETE', '/models/m1', undefined],
  ] as const) {
    const refused = await send(method, path, body);
    expect([path, refused.status, refused.body.error?.code]).toEqual([path, 409, 'defined_in_settings']);
    expect(refused.body.error?.message).toMatch(/test-settings\.yaml:\d+.*restart/s);
  }
});

test('the catalogue at run time: add, alias, switch off, import, remove with what depends on it', async () => {
  const added = await send('POST', '/models', { id: 'extra', plugin: 'up', upstream_model: 'm1', aliases: ['spare'] });
  expect(added.status).toBe(201);
  expect((await chat(fixture.soai, 'spare')).status).toBe(200);
  expect((await send('POST', '/models', { id: 'FIXED', plugin: 'up' })).body.error?.code).toBe('name_taken');
  expect((await send('POST', '/models', { id: 'x', plugin: 'gone' })).status).toBe(404);

  await send('POST', '/virtual-models', { name: 'pair', strategy: 'load_balancing', members: ['extra', 'm2'] });
  expect((await send('DELETE', '/models/extra')).body.error).toMatchObject({
    code: 'model_in_use',
    message: expect.stringContaining('pair'),
  });
  expect((await send('PATCH', '/models/extra', { enabled: false })).status).toBe(200);
  expect((await chat(fixture.soai, 'spare')).status).toBe(404);
  // D3: the alias goes on with the member that is left, and says why the other is out.
  expect((await chat(fixture.soai, 'pair')).headers.get('x-soai-served-by')).toBe('m2');
  const shown = await get<VirtualModel>(fixture.soai, '/api/v1/virtual-models/pair');
  expect(shown.member_states).toMatchObject([
    { model: 'extra', eligible: false },
    { model: 'm2', eligible: true },
  ]);
  expect(await send('DELETE', '/models/extra?force=true')).toMatchObject({
    status: 200,
    body: { removed: 'extra', disabled: ['pair'] },
  });

  fixture.upstream.listing.always(json({ object: 'list', data: [{ id: 'listed-one' }, { id: 'm1' }] }));
  const imported = await send('POST', '/plugins/up/models/import', {});
  expect((imported.body['added'] as Model[]).map(({ id }) => id)).toEqual(['listed-one']);
  expect((await chat(fixture.soai, 'listed-one')).status).toBe(200);
  fixture.upstream.listing.always(status(500));
  expect((await send('POST', '/plugins/up/models/import', {})).body.error?.code).toBe('discovery_failed');
  const { data } = await get<List<Model>>(fixture.soai, '/api/v1/models');
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['m1', 'listed-one']));
});

test('D9: routing is shown as it stands, and changes survive a restart', async () => {
  await send('POST', '/virtual-models', { name: 'kept', strategy: 'load_balancing', members: ['m1', 'm2'] });
  await fixture.soai.kill();
  await fixture.soai.ensureRunning();
  const routing = await get<Routing>(fixture.soai, '/api/v1/routing');
  expect(routing.virtual_models.map(({ name }) => name)).toEqual(expect.arrayContaining(['fixed', 'kept']));
  expect(await fixture.soai.command('virtual-model', 'show', 'kept')).toMatchObject({ members: ['m1', 'm2'] });
  expect((await chat(fixture.soai, 'kept')).status).toBe(200);
});
