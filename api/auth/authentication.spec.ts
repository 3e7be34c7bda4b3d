/** Who gets in, over HTTP. */
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { newApiKey } from './api-key-format';

describe('authentication', () => {
  let api: ApiUnderTest;

  beforeEach(async () => {
    api = await startApi({
      openAiRoutes: (router) =>
        router.get('/whoami', (ctx) => {
          const { account, owner, via } = ctx.state.identity!;
          ctx.body = { account: account.name, owner, via };
        }),
    });
  });
  afterEach(() => api.close());

  const whoAmI = (headers: Record<string, string>) => api.get('/v1/whoami', headers);

  test('A5: a key acts for its account and is the owner of what it asks for', async () => {
    expect((await whoAmI(bearer(api.userKey))).json()).toEqual({
      account: 'ada',
      owner: { kind: 'key', id: 'key-2' },
      via: 'key',
    });
  });

  test('the operator token acts as admin', async () => {
    expect((await whoAmI(bearer(api.operatorToken))).json()).toEqual({
      account: 'admin',
      owner: { kind: 'account', id: api.admin.id },
      via: 'operator',
    });
  });

  test('S10: x-api-key is the same as a bearer token; other places are not', async () => {
    expect((await whoAmI({ 'x-api-key': api.userKey })).json().via).toBe('key');
    expect((await whoAmI({ 'x-api-key': newApiKey().key })).status).toBe(401);
    expect((await whoAmI({ cookie: `soai_session=${api.userKey}` })).status).toBe(401);
    const basic = Buffer.from(`ada:${api.userKey}`).toString('base64');
    expect((await whoAmI({ authorization: `Basic ${basic}` })).status).toBe(401);
    expect((await whoAmI({ ...bearer(api.userKey), 'x-api-key': api.userKey })).status).toBe(401);
    expect((await api.get(`/v1/whoami?api_key=${api.userKey}`, bearer(api.userKey))).status).toBe(401);
    expect((await api.get(`/v1/whoami?api_key=${api.userKey}`)).text).not.toContain(api.userKey);
  });

  test('the scheme is not case-sensitive (RFC 9110)', async () => {
    expect((await whoAmI({ authorization: `bearer ${api.userKey}` })).status).toBe(200);
  });

  test('S9: whatever is wrong with a key, the answer is the same and the database is not asked', async () => {
    const bodies = new Set<string>();
    for (const authorization of [
      "Bearer ' OR 1=1--",
      `Bearer ${'x'.repeat(100 * 1024)}`,
      'Bearer \u0080\u00ff',
      "bearer ' OR 1=1--",
      'Bearer\tsk-soai-x',
      'Bearer',
      'Bearer  sk-soai-x',
      api.userKey,
      `Bearer ${api.userKey}x`,
      `Bearer ${api.userKey.toUpperCase()}`,
    ]) {
      const answer = await whoAmI({ authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      bodies.add(answer.text);
    }
    expect(api.store.calls).toEqual([]);
    // A key of the right form that does not exist is looked up, and gets the same words.
    bodies.add((await whoAmI(bearer(newApiKey().key))).text);
    expect(api.store.calls).toEqual(['keys.byHash']);
    expect([...bodies]).toHaveLength(1);
    expect(JSON.parse([...bodies][0]!).error).toMatchObject({ code: 'invalid_api_key', param: null });
  });

  test('S9: two Authorization headers are refused, even if one of them is right', async () => {
    const twice = { authorization: [`Bearer ${api.userKey}`, `Bearer ${api.userKey}`] } as unknown as Record<
      string,
      string
    >;
    expect((await whoAmI(twice)).status).toBe(401);
    expect(api.store.calls).toEqual([]);
  });

  test('S13: a wrong key is not echoed, in the answer or in the log', async () => {
    const { key } = newApiKey();
    expect((await whoAmI(bearer(key))).text).not.toContain(key.slice(8, 20));
    expect(JSON.stringify(api.logLines)).not.toContain(key.slice(8, 20));
  });

  test('no credential: 401 that says how to send one', async () => {
    const answer = await whoAmI({});
    expect(answer.status).toBe(401);
    expect(answer.json().error).toMatchObject({ code: 'invalid_api_key', message: expect.stringContaining('Bearer') });
    expect((await api.get('/api/v1/tasks')).json().error).toMatchObject({ code: 'not_signed_in' });
  });

  test('S23: a revoked key works for less than a second more, wherever it was revoked', async () => {
    expect((await whoAmI(bearer(api.userKey))).status).toBe(200);
    await api.store.keys.revoke('key-2', api.clock.now);
    api.clock.now += 899;
    expect((await whoAmI(bearer(api.userKey))).status).toBe(200);
    api.clock.now += 1;
    expect((await whoAmI(bearer(api.userKey))).status).toBe(401);
  });

  test('S23: revoked through this server it stops at once', async () => {
    expect((await whoAmI(bearer(api.userKey))).status).toBe(200);
    const revoked = await api.send('DELETE', '/api/v1/keys/key-2', undefined, bearer(api.adminKey));
    expect(revoked.json()).toMatchObject({ id: 'key-2', revoked_at: api.clock.now });
    expect((await whoAmI(bearer(api.userKey))).status).toBe(401);
  });

  test('an expired key and the key of a disabled account are bad keys', async () => {
    const [expired, disabled] = [api.keyFor(api.user), api.keyFor(api.user)];
    api.store.keyRows.set('key-3', { ...api.store.keyRows.get('key-3')!, expiresAt: api.clock.now });
    expect((await whoAmI(bearer(expired))).status).toBe(401);
    api.store.accountRows.set(api.user.id, { ...api.user, disabled: true });
    expect((await whoAmI(bearer(disabled))).status).toBe(401);
  });

  test('a burst with one key is one look-up', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => whoAmI(bearer(api.userKey))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(api.store.calls.filter((call) => call === 'keys.byHash')).toHaveLength(1);
  });

  test('T95: a database that does not answer is 503, not 401, and it mends itself', async () => {
    api.store.outage = new Error('SQLITE_IOERR: disk I/O error in /secret/path');
    for (const headers of [bearer(api.userKey), bearer(api.operatorToken), { 'x-api-key': api.userKey }]) {
      const answer = await whoAmI(headers);
      expect(answer.status).toBe(503);
      expect(answer.json().error).toMatchObject({ code: 'database_busy', type: 'server_error', transient: true });
      expect(answer.headers).toMatchObject({ 'retry-after': '2', 'x-should-retry': 'true' });
      expect(answer.text).not.toContain('secret');
    }
    api.store.outage = null;
    expect((await whoAmI(bearer(api.userKey))).status).toBe(200);
  });

  test('the last use of a key is written, in one statement for many uses', async () => {
    await Promise.all([whoAmI(bearer(api.userKey)), whoAmI(bearer(api.userKey)), whoAmI(bearer(api.adminKey))]);
    api.stopping.abort();
    expect(api.store.calls.filter((call) => call === 'keys.touch')).toHaveLength(1);
    expect(api.store.keyRows.get('key-2')!.lastUsedAt).toBe(api.clock.now);
  });
});
