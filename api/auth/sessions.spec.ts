/** Signing in to the WebUI, over HTTP. */
import { type Answer, type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { DatabaseBusy } from '../../store/errors';
import { hashPassword } from './password';
import { newSetupToken } from './setup-token';

const PASSWORD = 'correct horse battery';

describe('sessions', () => {
  let api: ApiUnderTest;
  let passwordHash: string;

  beforeAll(async () => {
    passwordHash = await hashPassword(PASSWORD);
  });
  beforeEach(async () => {
    api = await startApi({
      trustedProxies: ['127.0.0.1'],
      openAiRoutes: (router) => router.post('/echo', (ctx) => (ctx.body = {})),
    });
    api.store.accountRows.set(api.user.id, { ...api.user, passwordHash });
  });
  afterEach(() => api.close());

  const signIn = (body: unknown, headers: Record<string, string> = {}) =>
    api.send('POST', '/api/v1/session', body, headers);
  const signInAda = (headers: Record<string, string> = {}) => signIn({ account: 'ada', password: PASSWORD }, headers);
  const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0]!;

  test('S44: the cookie is HttpOnly, SameSite=Strict and holds nothing but a random secret', async () => {
    const answer = await signInAda();
    expect(answer.status).toBe(200);
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^soai_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.json()).toEqual({
      account: { id: api.user.id, name: 'ada', role: 'standard' },
      csrf: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      password_set: true,
    });
    const stored = JSON.stringify([...api.store.sessionRows.values()]);
    expect(stored).not.toContain(cookieOf(answer).slice('soai_session='.length));
  });

  test('S44: under TLS the cookie is Secure and HSTS is sent; only a trusted proxy can say so', async () => {
    const answer = await signInAda({ 'x-forwarded-proto': 'https' });
    expect(String(answer.headers['set-cookie'])).toContain('; Secure');
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  test('GET tells who is signed in, DELETE signs out: the old cookie is dead', async () => {
    const answer = await signInAda();
    const cookie = cookieOf(answer);
    const { csrf } = answer.json();
    expect((await api.get('/api/v1/session', { cookie })).json()).toEqual(answer.json());
    const out = await api.send('DELETE', '/api/v1/session', undefined, { cookie, 'x-soai-csrf': csrf });
    expect(out.status).toBe(204);
    expect(String(out.headers['set-cookie'])).toContain('soai_session=; Path=/; Max-Age=0');
    const after = await api.get('/api/v1/session', { cookie });
    expect(after.status).toBe(401);
    expect(after.json().error.code).toBe('not_signed_in');
  });

  test('S43: signing in always makes a new session and ends the one the browser came with', async () => {
    const first = await signInAda();
    const planted = { cookie: cookieOf(first), 'x-soai-csrf': first.json().csrf };
    const second = await signInAda(planted);
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    expect((await api.get('/api/v1/session', { cookie: cookieOf(first) })).status).toBe(401);
    expect((await api.get('/api/v1/session', { cookie: cookieOf(second) })).status).toBe(200);
  });

  test('a session ends by itself', async () => {
    const cookie = cookieOf(await signInAda());
    api.clock.now += 7 * 24 * 60 * 60 * 1_000;
    expect((await api.get('/api/v1/session', { cookie })).status).toBe(401);
  });

  describe('S29: requests from elsewhere', () => {
    const foreign: [string, Record<string, string>][] = [
      ['no CSRF token', {}],
      ['a wrong CSRF token', { 'x-soai-csrf': 'x' }],
      ['another origin', { origin: 'https://evil.example' }],
      ['a null origin', { origin: 'null' }],
      ['the same host on another port', { origin: 'http://127.0.0.1:1' }],
      ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
      ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
    ];

    test.each(foreign)('S29: with %s every changing route is 403', async (_what, headers) => {
      const signedIn = await signInAda();
      const cookie = cookieOf(signedIn);
      const token: Record<string, string> =
        headers['origin'] || headers['sec-fetch-site'] ? { 'x-soai-csrf': signedIn.json().csrf } : {};
      for (const [method, target] of [
        ['POST', '/api/v1/keys'],
        ['DELETE', '/api/v1/keys/key-2'],
        ['DELETE', '/api/v1/session'],
        ['POST', '/api/v1/tasks/t/cancel'],
        ['POST', '/v1/echo'],
      ] as const) {
        const answer = await api.send(method, target, '{}', {
          cookie,
          'content-type': 'text/plain',
          ...token,
          ...headers,
        });
        expect([target, answer.status, answer.json().error.code]).toEqual([target, 403, 'csrf_failed']);
      }
      expect(api.store.keyRows.get('key-2')!.revokedAt).toBeNull();
    });

    test('S29: our own pages pass', async () => {
      const signedIn = await signInAda();
      const own = { origin: api.url, 'sec-fetch-site': 'same-origin', 'x-soai-csrf': signedIn.json().csrf };
      const answer = await api.send('POST', '/v1/echo', {}, { cookie: cookieOf(signedIn), ...own });
      expect(answer.status).toBe(200);
    });

    test('S29: nobody can be signed in from elsewhere', async () => {
      expect((await signInAda({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await signInAda({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect(api.store.sessionRows.size).toBe(0);
    });

    test('a key needs no CSRF token: browsers never send it by themselves', async () => {
      expect(
        (await api.send('POST', '/v1/echo', {}, { ...bearer(api.userKey), origin: 'https://app.example' })).status,
      ).toBe(200);
    });
  });

  describe('S45: guessing', () => {
    test('S45: an unknown account, a wrong password and a disabled account look the same', async () => {
      api.store.addAccount('off', 'standard');
      api.store.accountRows.set('id-of-off', {
        ...api.store.accountRows.get('id-of-off')!,
        passwordHash,
        disabled: true,
      });
      const answers = [
        await signIn({ account: 'nobody', password: PASSWORD }),
        await signIn({ account: 'ada', password: 'wrong' }),
        await signIn({ account: 'off', password: PASSWORD }),
        await signIn({ account: 'admin', password: PASSWORD }),
      ].map((answer) => ({ status: answer.status, error: { ...answer.json().error, request_id: '' } }));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 401, error: { code: 'sign_in_failed' } });
    });

    test('S45, S42: ten failures lock an account for one address, however it is written', async () => {
      const from = (address: string) => ({ 'x-forwarded-for': `spoofed, ${address}` });
      for (let turn = 0; turn < 10; turn++) {
        expect((await signIn({ account: turn % 2 ? 'ADA' : 'ada', password: 'wrong' }, from('192.0.2.1'))).status).toBe(
          401,
        );
      }
      const locked = await signInAda(from('192.0.2.1'));
      expect(locked.status).toBe(429);
      expect(Number(locked.headers['retry-after'])).toBeGreaterThan(60);
      expect(locked.headers['x-should-retry']).toBe('false');
      expect((await signInAda(from('192.0.2.2'))).status).toBe(200);
    });

    test('S45: many at once can not slip through', async () => {
      const tries = Array.from({ length: 30 }, () => signIn({ account: 'ada', password: 'wrong' }));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    });
  });

  describe('S46: set-up', () => {
    test('S46: the token gives admin its password, once', async () => {
      const { token, hash } = newSetupToken();
      await api.store.sessions.putSetupToken(hash);
      const answer = await signIn({ setup_token: token, password: PASSWORD });
      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ account: { name: 'admin', role: 'administrator' }, password_set: true });
      expect((await signIn({ setup_token: token, password: PASSWORD })).json().error.code).toBe('setup_token_invalid');
      expect((await signIn({ account: 'admin', password: PASSWORD })).status).toBe(200);
    });

    test('S46: not from another machine, not with a password set, not with a wrong token', async () => {
      const { token, hash } = newSetupToken();
      await api.store.sessions.putSetupToken(hash);
      const wrong = await signIn({ setup_token: 'x', password: PASSWORD });
      expect(wrong.json().error.code).toBe('setup_token_invalid');
      const remote = await signIn({ setup_token: token, password: PASSWORD }, { 'x-forwarded-for': '192.0.2.7' });
      expect(remote.json().error.code).toBe('setup_token_invalid');
      expect(api.store.setupTokenHash).toBe(hash);
      api.store.accountRows.set(api.admin.id, { ...api.admin, passwordHash });
      const late = await signIn({ setup_token: token, password: PASSWORD });
      expect(late.json().error.code).toBe('setup_token_invalid');
      expect(api.store.accountRows.get(api.admin.id)!.passwordHash).toBe(passwordHash);
    });

    test('S46: a short password is refused and the token stays good', async () => {
      const { token, hash } = newSetupToken();
      await api.store.sessions.putSetupToken(hash);
      const short = await signIn({ setup_token: token, password: 'short' });
      expect(short.status).toBe(400);
      expect(short.json().error).toMatchObject({ code: 'invalid_value', param: 'password' });
      expect((await signIn({ setup_token: token, password: PASSWORD })).status).toBe(200);
    });
  });

  test('T95: signing in while the database is away is 503', async () => {
    api.store.outage = new DatabaseBusy('database is locked');
    expect((await signInAda()).status).toBe(503);
  });
});
