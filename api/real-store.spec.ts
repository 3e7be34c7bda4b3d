/** The API over the real store: what the fakes of the other specs stand for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiUnderTest, bearer, startApi } from '../test/api/api-under-test';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import { newSetupToken } from './auth/setup-token';

describe('over SQLite', () => {
  let api: ApiUnderTest;
  let store: Store;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'soai-api-'));
    store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
    api = await startApi({ store });
    await store.accounts.ensureAdmin(api.clock.now);
  });
  afterAll(async () => {
    await api.close();
    await store.close();
    rmSync(dataDir, { recursive: true });
  });

  test('S46, S23: set up, sign in, make a key, use it, revoke it', async () => {
    const { token, hash } = newSetupToken();
    await store.sessions.putSetupToken(hash, api.clock.now + 60_000);
    const password = 'correct horse battery';
    expect((await api.send('POST', '/api/v1/session', { setup_token: token, password })).status).toBe(200);
    expect((await api.send('POST', '/api/v1/session', { setup_token: token, password })).status).toBe(401);
    const signedIn = await api.send('POST', '/api/v1/session', { account: 'admin', password });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
    const headers = { cookie, 'x-soai-csrf': signedIn.json().csrf };

    const { id, key } = (await api.send('POST', '/api/v1/keys', { name: 'laptop' }, headers)).json();
    expect((await api.get('/api/v1/tasks?limit=5', bearer(key))).json()).toEqual({ data: [], next_cursor: null });
    expect((await api.send('DELETE', `/api/v1/keys/${id}`, undefined, headers)).json().revoked_at).toBe(api.clock.now);
    expect((await api.get('/api/v1/tasks', bearer(key))).status).toBe(401);
    expect((await api.get('/api/v1/keys', { cookie })).json().data).toMatchObject([{ id, account: 'admin' }]);
  });

  test('a cursor that no list gave out is 400; an unknown task is 404', async () => {
    const operator = bearer(api.operatorToken);
    expect((await api.get('/api/v1/tasks?cursor=nonsense', operator)).json().error).toMatchObject({
      code: 'invalid_cursor',
      param: 'cursor',
    });
    expect((await api.get('/api/v1/tasks/none', operator)).json().error.code).toBe('task_not_found');
    expect((await api.send('POST', '/api/v1/tasks/none/cancel', undefined, operator)).status).toBe(404);
  });

  test('S9, S39: no input reaches SQL as SQL', async () => {
    const operator = bearer(api.operatorToken);
    const nasty = encodeURIComponent("' OR 1=1; DROP TABLE tasks; --%_");
    for (const query of [`owner=${nasty}`, `plugin=${nasty}`, `model=${nasty}`]) {
      expect((await api.get(`/api/v1/tasks?${query}`, operator)).json()).toEqual({ data: [], next_cursor: null });
    }
    expect((await api.get(`/api/v1/tasks/${nasty}`, operator)).status).toBe(404);
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
