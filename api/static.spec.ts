import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { type ApiUnderTest, startApi } from '../test/api/api-under-test';

const PAGE = '<!doctype html><title>SoAI</title>';
const html = { accept: 'text/html,application/xhtml+xml' };

describe('the WebUI', () => {
  let api: ApiUnderTest;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'soai-web-'));
    const webRoot = path.join(directory, 'browser');
    mkdirSync(path.join(webRoot, 'media'), { recursive: true });
    writeFileSync(path.join(webRoot, 'index.html'), PAGE);
    writeFileSync(path.join(webRoot, 'chunk-B7n_0H-c.js'), 'run()');
    writeFileSync(path.join(webRoot, 'media', 'logo.svg'), '<svg/>');
    writeFileSync(path.join(webRoot, '.secret.json'), '{}');
    writeFileSync(path.join(webRoot, 'server.key'), 'x');
    writeFileSync(path.join(directory, 'outside.json'), '{"outside":true}');
    api = await startApi({ webRoot });
  });
  afterAll(async () => {
    await api.close();
    rmSync(directory, { recursive: true });
  });

  test.each(['/', '/chat', '/tasks/abc', '/virtual-models'])('%s opens the page', async (target) => {
    const answer = await api.get(target, html);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(PAGE);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
  });

  test('hashed files are kept for ever, others are asked for again', async () => {
    const script = await api.get('/chunk-B7n_0H-c.js');
    expect(script.text).toBe('run()');
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': '5',
    });
    const logo = await api.get('/media/logo.svg');
    expect(logo.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
    const again = await api.get('/media/logo.svg', { 'if-none-match': String(logo.headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('HEAD answers like GET, without a body', async () => {
    const answer = await api.send('HEAD', '/chunk-B7n_0H-c.js');
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '5']);
  });

  test.each([
    '/../outside.json',
    '/..%2foutside.json',
    '/%2e%2e/outside.json',
    '/media/../../outside.json',
    '/media/..%5c..%5coutside.json',
    '//outside.json',
    '/.secret.json',
    '/server.key',
    '/chunk-B7n_0H-c.js%00.json',
    '/media',
  ])('S6: %s is not served', async (target) => {
    const { status, text } = await getAsItIs(api.port, target);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'unknown_url' } });
  });

  test.each(['/missing.js', '/v1/nothing', '/api/v1/nothing', '/api', '/v1', '/api/nothing'])(
    '%s is a JSON error, never the page',
    async (target) => {
      const answer = await api.get(target, html);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.json().error.code).toBe('unknown_url');
    },
  );

  test('a fetch that does not ask for HTML gets no page', async () => {
    expect((await api.get('/chat', { accept: 'application/json' })).status).toBe(404);
  });
});

test('without a build the page says how to get one', async () => {
  const api = await startApi();
  const answer = await api.get('/', html);
  expect(answer.status).toBe(503);
  expect(answer.json().error).toMatchObject({
    code: 'webui_not_built',
    hint: expect.stringContaining('npm run setup'),
  });
  await api.close();
});

/** Fetches a path as it is; a URL would be tidied first. */
function getAsItIs(port: number, target: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: target, agent: false }, (answer) => {
        textOf(answer).then((text) => resolve({ status: answer.statusCode!, text }), reject);
      })
      .on('error', reject);
  });
}
