/** The management routes over HTTP; each answer is judged by the schema that documents it. */
import { aPlugin, type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { strictly } from '../../test/api/strictly';
import { DatabaseUnavailable, InvalidCursor } from '../../store/errors';
import * as contract from '../contract/management';
import { pluginDetail } from '../contract/plugins';
import { listOf } from './lists';

let api: ApiUnderTest;
let admin: Record<string, string>;
let user: Record<string, string>;

beforeEach(async () => {
  api = await startApi();
  admin = bearer(api.adminKey);
  user = bearer(api.userKey);
});
afterEach(() => api.close());

describe('system', () => {
  test('C9: health needs no authentication and answers 200, ok or degraded', async () => {
    expect(strictly(contract.health, (await api.get('/api/v1/system/health')).json()).status).toBe('ok');
    api.health = { ...api.health, status: 'degraded', reasons: [{ code: 'engine_down', message: 'It is down.' }] };
    const answer = await api.get('/api/v1/system/health');
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'degraded', reasons: [{ code: 'engine_down' }] });
    expect(api.store.calls).toEqual([]);
  });

  test('live answers always; ready says what is missing', async () => {
    expect((await api.get('/api/v1/system/live')).json()).toEqual({ status: 'ok' });
    expect((await api.get('/api/v1/system/ready')).status).toBe(200);
    api.engineState = 'down';
    expect((await api.get('/api/v1/system/ready')).json().error.code).toBe('engine_unavailable');
    api.store.outage = new DatabaseUnavailable('gone');
    expect((await api.get('/api/v1/system/ready')).json().error.code).toBe('database_busy');
    api.stopping.abort();
    expect((await api.get('/api/v1/system/ready')).json().error.code).toBe('shutting_down');
    expect((await api.get('/api/v1/system/live')).status).toBe(200);
  });

  test('info is for administrators', async () => {
    const answer = await api.get('/api/v1/system/info', admin);
    expect(strictly(contract.systemInfo, answer.json())).toMatchObject({ database: 'sqlite', engine: { state: 'up' } });
    expect((await api.get('/api/v1/system/info', user)).status).toBe(403);
  });
});

describe('S11, S49: permissions', () => {
  test.each([
    ['GET', '/plugins'],
    ['GET', '/plugins/p1'],
    ['POST', '/plugins/p1/restart'],
    ['POST', '/plugins/p1/circuit/reset'],
    ['POST', '/plugins/p1/quarantine/clear'],
    ['GET', '/system/info'],
  ])('S49: a standard account gets 403 from %s %s, by each form of its key', async (method, path) => {
    for (const headers of [user, { 'x-api-key': api.userKey }]) {
      const answer = await api.send(method, `/api/v1${path}`, undefined, headers);
      expect(answer.status).toBe(403);
      expect(strictly(contract.managementError, answer.json()).error.code).toBe('insufficient_permissions');
    }
    expect([...api.restarted, ...api.healed]).toEqual([]);
  });
});

describe('tasks', () => {
  beforeEach(() => {
    api.store.addTask({ id: 'mine', accountId: api.user.id, owner: { kind: 'key', id: 'key-2' } });
    api.store.addTask({ id: 'theirs', accountId: api.admin.id, model: 'm2' });
    api.store.addTask({ id: 'done', accountId: api.user.id, state: 'completed', finishedAt: 2_000 });
    api.store.addTask({
      id: 'failed',
      accountId: api.user.id,
      state: 'failed',
      reason: 'deadline_exceeded',
      sentence: 'Too late.',
      finishedAt: 2_000,
    });
  });

  test('J: a list is {data, next_cursor}; standard accounts see their own account only', async () => {
    const own = strictly(listOf(contract.task), (await api.get('/api/v1/tasks', user)).json());
    expect(own.data.map(({ id }) => id)).toEqual(['mine', 'done', 'failed']);
    expect(own.data[0]).toMatchObject({
      account: 'ada',
      owner: { kind: 'key', id: 'key-2' },
      console_url: 'http://127.0.0.1:8233/namespaces/soai/workflows/mine',
    });
    const all = strictly(listOf(contract.task), (await api.get('/api/v1/tasks', admin)).json());
    expect(all.data).toHaveLength(4);
  });

  test('filters and pages', async () => {
    expect((await api.get('/api/v1/tasks?state=failed', admin)).json().data).toHaveLength(1);
    expect((await api.get('/api/v1/tasks?model=m2', admin)).json().data).toHaveLength(1);
    expect((await api.get('/api/v1/tasks?owner=key-2', user)).json().data).toHaveLength(1);
    const first = (await api.get('/api/v1/tasks?limit=3', admin)).json();
    expect(first.data).toHaveLength(3);
    const rest = (await api.get(`/api/v1/tasks?limit=3&cursor=${first.next_cursor}`, admin)).json();
    expect(rest).toMatchObject({ data: [{ id: 'failed' }], next_cursor: null });
  });

  test.each([
    ['limit=0', 'invalid_value', 'limit'],
    ['limit=201', 'invalid_value', 'limit'],
    ['limit=many', 'invalid_type', 'limit'],
    ['limit=1&limit=2', 'invalid_type', 'limit'],
    ['state=sleeping', 'invalid_value', 'state'],
    ['sort=id;DROP TABLE tasks', 'unsupported_parameter', 'sort'],
    ['cursor=', 'invalid_value', 'cursor'],
  ])('S39: ?%s is refused by name', async (query, code, param) => {
    const answer = await api.get(`/api/v1/tasks?${encodeURI(query)}`, admin);
    expect(answer.status).toBe(400);
    expect(strictly(contract.managementError, answer.json()).error).toMatchObject({ code, param });
    expect(api.store.calls).not.toContain('tasks.list');
  });

  test('a refusal names every fault', async () => {
    const { message } = (await api.get('/api/v1/tasks?limit=0&state=x&what=1', admin)).json().error;
    for (const param of ['limit', 'state', 'what']) expect(message).toContain(`"${param}"`);
  });

  test('a cursor that no list gave out is 400', async () => {
    api.store.outage = null;
    const list = jest.spyOn(api.store.tasks, 'list').mockRejectedValue(new InvalidCursor());
    expect((await api.get('/api/v1/tasks?cursor=x', admin)).json().error).toMatchObject({
      code: 'invalid_cursor',
      param: 'cursor',
    });
    list.mockRestore();
  });

  test('one task has its attempts, plan and workflow', async () => {
    api.store.attemptRows.push({
      taskId: 'mine',
      number: 1,
      fence: 1,
      target: { modelId: 'm1', pluginId: 'p1' },
      startedAt: 1,
      finishedAt: 2,
      outcome: 'transient',
      code: 'upstream_timeout',
      httpStatus: null,
      sentence: 'Too slow.',
      retryDelayMs: 900,
    });
    const detail = strictly(contract.taskDetail, (await api.get('/api/v1/tasks/mine', user)).json());
    expect(detail.attempts).toMatchObject([{ number: 1, model: 'm1', plugin: 'p1', code: 'upstream_timeout' }]);
    expect(detail.plan).toEqual([{ model: 'm1', plugin: 'p1', dropped: null }]);
    expect(detail.workflow).toEqual({ id: 'mine', namespace: 'soai' });
  });

  test("S17, S19: somebody else's task is 404, word for word like none at all", async () => {
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/response'],
      ['POST', '/cancel'],
    ] as const) {
      const [theirs, none] = await Promise.all(
        ['theirs', 'none'].map((id) => api.send(method, `/api/v1/tasks/${id}${suffix}`, undefined, user)),
      );
      expect(theirs!.status).toBe(404);
      expect({ ...theirs!.json().error, request_id: '' }).toEqual({ ...none!.json().error, request_id: '' });
    }
    expect(api.cancelled).toEqual([]);
  });

  test('cancelling answers with the task; an ended one is 409 and stays as it is', async () => {
    const answer = await api.send('POST', '/api/v1/tasks/mine/cancel', undefined, user);
    expect(answer.status).toBe(200);
    expect(strictly(contract.task, answer.json())).toMatchObject({ state: 'cancelled', reason: 'cancelled_by_user' });
    for (const id of ['mine', 'done']) {
      const again = await api.send('POST', `/api/v1/tasks/${id}/cancel`, undefined, user);
      expect(again.status).toBe(409);
      expect(again.json().error.code).toBe('task_already_ended');
      expect(again.headers['x-should-retry']).toBe('false');
    }
    expect(api.store.taskRows.get('done')!.state).toBe('completed');
  });

  test('C7: the stored answer comes as it was given; before that, 404 says why', async () => {
    api.store.answers.set('done', { contentType: 'application/json; charset=utf-8', text: '{"id":"x", "n":1.0}' });
    const answer = await api.get('/api/v1/tasks/done/response', user);
    expect(answer.text).toBe('{"id":"x", "n":1.0}');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const early = await api.get('/api/v1/tasks/mine/response', user);
    expect(early.status).toBe(404);
    expect(early.json().error).toMatchObject({
      code: 'answer_not_available',
      message: expect.stringContaining('running'),
    });
    expect((await api.get('/api/v1/tasks/failed/response', user)).json().error.message).toContain('Too late.');
  });
});

describe('keys', () => {
  test('J: a created key works at once and is shown this once', async () => {
    const created = await api.send('POST', '/api/v1/keys', { name: ' laptop ' }, user);
    expect(created.status).toBe(201);
    const key = strictly(contract.createdKey, created.json());
    expect(key).toMatchObject({ name: 'laptop', account: 'ada', revoked_at: null });
    expect(key.key.startsWith(key.prefix)).toBe(true);
    expect((await api.get('/api/v1/session', bearer(key.key))).status).toBe(200);
    const list = await api.get('/api/v1/keys', user);
    strictly(listOf(contract.apiKey), list.json());
    expect(list.text).not.toContain(key.key);
    expect(JSON.stringify([...api.store.keyRows.values()])).not.toContain(key.key);
  });

  test('S21: a standard account makes keys for itself only, an administrator for anybody', async () => {
    expect((await api.send('POST', '/api/v1/keys', { name: 'k', account: 'admin' }, user)).status).toBe(403);
    expect((await api.send('POST', '/api/v1/keys', { name: 'k', account: 'ada' }, admin)).json().account).toBe('ada');
    expect(
      (await api.send('POST', '/api/v1/keys', { name: 'k', account: 'nobody' }, admin)).json().error,
    ).toMatchObject({
      code: 'account_not_found',
      param: 'account',
    });
  });

  test('own keys are listed, everybody’s for administrators; revoking needs the same right', async () => {
    expect((await api.get('/api/v1/keys', user)).json().data).toHaveLength(1);
    expect((await api.get('/api/v1/keys', admin)).json().data).toHaveLength(2);
    const foreign = await api.send('DELETE', '/api/v1/keys/key-1', undefined, user);
    expect(foreign.json().error.code).toBe('key_not_found');
    expect(api.store.keyRows.get('key-1')!.revokedAt).toBeNull();
    const first = (await api.send('DELETE', '/api/v1/keys/key-2', undefined, admin)).json();
    api.clock.now += 5;
    expect((await api.send('DELETE', '/api/v1/keys/key-2', undefined, admin)).json()).toEqual(first);
  });

  test.each([
    [{}, 'missing_required_parameter', 'name'],
    [{ name: 1 }, 'invalid_type', 'name'],
    [{ name: '   ' }, 'invalid_value', 'name'],
    [{ name: 'k', role: 'administrator' }, 'unsupported_parameter', 'role'],
    [{ name: 'k', expires_at: -1 }, 'invalid_value', 'expires_at'],
    [{ name: 'k', expires_at: 1 }, 'invalid_value', 'expires_at'],
    [[], 'invalid_type', null],
  ])('S20: %j is refused with %s', async (body, code, param) => {
    const answer = await api.send('POST', '/api/v1/keys', body, user);
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ code, param });
    expect(api.store.keyRows.size).toBe(2);
  });
});

describe('queue, plugins', () => {
  test('the queue in figures', async () => {
    expect(strictly(contract.queueSnapshot, (await api.get('/api/v1/queue', user)).json())).toEqual({
      capacity: 1024,
      waiting: 2,
      running: 2,
      deferred: 3,
      by_priority: { high: 1, standard: 0, flex: 1 },
      oldest_wait_ms: 500,
    });
  });

  test('F5: plugins, with the five fields apart', async () => {
    expect((await api.get('/api/v1/plugins', admin)).json()).toEqual({ data: [aPlugin('p1')], next_cursor: null });
    expect(strictly(pluginDetail, (await api.get('/api/v1/plugins/p1', admin)).json()).id).toBe('p1');
    expect((await api.get('/api/v1/plugins/nope', admin)).json().error.code).toBe('plugin_not_found');
  });

  test('restarting a plugin answers with it', async () => {
    expect((await api.send('POST', '/api/v1/plugins/p1/restart', undefined, admin)).json()).toEqual(aPlugin('p1'));
    expect((await api.send('POST', '/api/v1/plugins/nope/restart', undefined, admin)).status).toBe(404);
    expect(api.restarted).toEqual(['p1']);
  });
});

test('openapi.json is there for everybody who is signed in', async () => {
  const answer = await api.get('/api/v1/openapi.json', user);
  expect(answer.json().paths['/api/v1/tasks'].get.summary).toMatch(/tasks/);
  expect((await api.get('/api/v1/openapi.json')).status).toBe(401);
});
