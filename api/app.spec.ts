/** What holds for every answer, and T84 with the SDK that clients use. */
import { Readable } from 'node:stream';
import net from 'node:net';
import OpenAI from 'openai';
import { type ApiUnderTest, bearer, startApi } from '../test/api/api-under-test';
import { until } from '../test/api/until';
import { AppError } from './errors/app-error';
import { CATALOGUE, type ErrorCode, entryOf } from './errors/catalogue';

describe('the application', () => {
  let api: ApiUnderTest;

  beforeAll(async () => {
    api = await startApi({
      openAiRoutes: (router) => {
        router.post('/chat/completions', (ctx) => {
          const { model } = ctx.state.body as { model: string };
          if (model in CATALOGUE) throw new AppError(model as ErrorCode, { retryAfterSec: 1 });
          throw new Error('a secret detail');
        });
        router.get('/breaks-off', (ctx) => {
          ctx.type = 'text/event-stream';
          ctx.body = Readable.from(
            (function* () {
              yield 'data: 1\n\n';
              throw new Error('a secret detail');
            })(),
          );
        });
        router.get('/unwritable', (ctx) => (ctx.body = { number: 1n }));
        router.get('/waits', async (ctx) => {
          await new Promise((resolve) => ctx.res.once('close', resolve));
          throw new Error('nobody hears this');
        });
        router.get('/models', (ctx) => (ctx.body = { object: 'list', data: [] }));
      },
    });
  });
  afterAll(() => api.close());

  const complete = (model: string, maxRetries = 0) =>
    new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.userKey, maxRetries }).chat.completions
      .create({ model, messages: [] })
      .catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>);

  const classes: [ErrorCode, unknown][] = [
    ['invalid_value', OpenAI.BadRequestError],
    ['invalid_api_key', OpenAI.AuthenticationError],
    ['insufficient_permissions', OpenAI.PermissionDeniedError],
    ['model_not_found', OpenAI.NotFoundError],
    ['idempotency_key_reused', OpenAI.UnprocessableEntityError],
    ['rate_limit_exceeded', OpenAI.RateLimitError],
    ['internal_error', OpenAI.InternalServerError],
    ['queue_full', OpenAI.InternalServerError],
    ['insufficient_storage', OpenAI.InternalServerError],
    ['upstream_authentication_failed', OpenAI.InternalServerError],
  ];

  test.each(classes)('T84: the openai SDK raises its own class for %s', async (code, expected) => {
    const error = await complete(code);
    expect(error).toBeInstanceOf(expected);
    expect(error).toMatchObject({ status: entryOf(code).status, code, type: entryOf(code).type, param: null });
    expect((error as { requestID?: string }).requestID).toMatch(/^req_/);
  });

  test('contract 8: the SDK retries where x-should-retry says so, and not where it says no', async () => {
    const tries = async (code: ErrorCode): Promise<number> => {
      const before = api.logLines.length;
      await complete(code, 1);
      return api.logLines.slice(before).filter((line) => line['code'] === code && line['msg'] === 'request').length;
    };
    expect(await tries('shutting_down')).toBe(2);
    expect(await tries('upstream_unavailable')).toBe(1);
    expect(await tries('insufficient_storage')).toBe(1);
  }, 15_000);

  test('S15: an unexpected failure is a 500 with a request id; its details are only in the log', async () => {
    const answer = await api.send('POST', '/v1/chat/completions', { model: 'x' }, bearer(api.userKey));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    const logged = api.logLines.find(
      (line) => line['level'] === 50 && line['request_id'] === answer.headers['x-request-id'],
    );
    expect(logged).toMatchObject({ err: { message: 'a secret detail' }, code: 'internal_error' });
  });

  test('T84: a body that can not be written as JSON is still an error in the envelope', async () => {
    const answer = await api.get('/v1/unwritable', bearer(api.userKey));
    expect(answer.status).toBe(500);
    expect(answer.json().error).toMatchObject({ code: 'internal_error', param: null });
  });

  test('O3: a body that fails later is a cut connection, not a clean end', async () => {
    await expect(api.get('/v1/breaks-off', bearer(api.userKey))).rejects.toThrow();
  });

  test('A10: a client that leaves is a 499 in the log', async () => {
    const before = api.logLines.length;
    const socket = net.connect(api.port, '127.0.0.1');
    socket.write(`GET /v1/waits HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.userKey}\r\n\r\n`, () =>
      setImmediate(() => socket.destroy()),
    );
    await until(() =>
      api.logLines.slice(before).some((line) => line['path'] === '/v1/waits' && line['status'] === 499),
    );
  });

  test('405 names the methods there are; unknown addresses are 404 in the envelope of their API', async () => {
    const wrong = await api.send('DELETE', '/v1/models', undefined, bearer(api.userKey));
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect(wrong.json().error).toMatchObject({
      code: 'method_not_allowed',
      type: 'invalid_request_error',
      param: null,
    });
    const keys = await api.send('PUT', '/api/v1/keys', undefined, bearer(api.userKey));
    expect([keys.status, keys.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
    const nothing = await api.send('POST', '/v1/images/generations', {}, bearer(api.userKey));
    expect(nothing.json().error).toMatchObject({ code: 'unknown_url', param: null });
    expect((await api.get('/api/v1/nothing')).json().error).toMatchObject({
      code: 'unknown_url',
      request_id: expect.any(String),
    });
  });

  test('HEAD is GET without the body', async () => {
    const head = await api.send('HEAD', '/v1/models', undefined, bearer(api.userKey));
    const get = await api.get('/v1/models', bearer(api.userKey));
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
    expect((await api.send('HEAD', '/api/v1/tasks')).status).toBe(401);
  });

  test.each([
    ['GET', '/v1/models'],
    ['GET', '/api/v1/system/health'],
    ['GET', '/nothing'],
    ['POST', '/v1/chat/completions'],
    ['OPTIONS', '/v1/models'],
  ])('S30, S33: %s %s has an id and the security headers, and no CORS', async (method, target) => {
    const { headers } = await api.send(method, target, undefined, { origin: 'https://evil.example' });
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^req_[0-9a-f-]{36}$/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'cache-control': 'no-store',
    });
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(access-control-|server$|x-powered-by$)/);
  });

  test('S8, S16: the access log has the client’s id, no query, no key, one line a request', async () => {
    const before = api.logLines.length;
    await api.get('/v1/models?prompt=private', { ...bearer(api.userKey), 'x-client-request-id': 'mine-1' });
    await api.get('/v1/a%0d%0ab', { ...bearer(api.userKey), 'x-client-request-id': 'x'.repeat(513) });
    const lines = api.logLines.slice(before);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      msg: 'request',
      method: 'GET',
      path: '/v1/models',
      status: 200,
      client_request_id: 'mine-1',
      account: 'ada',
      via: 'key',
      remote: '127.0.0.1',
    });
    expect(lines[1]).toMatchObject({ status: 404, path: '/v1/a%0d%0ab', code: 'unknown_url' });
    expect(lines[1]).not.toHaveProperty('client_request_id');
    expect(JSON.stringify(lines)).not.toMatch(/private|sk-soai/);
  });

  test('S41: a foreign Host or an absolute URI changes nothing', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = net.connect(api.port, '127.0.0.1', () =>
        socket.write(
          'GET http://evil.example/api/v1/system/live HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n',
        ),
      );
      socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toContain('evil');
  });
});
