import { type ApiUnderTest, startApi } from '../test/api/api-under-test';

let api: ApiUnderTest;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test.each([
  ['/docs', 'text/html; charset=utf-8', 'SoAI HTTP API'],
  ['/docs/', 'text/html; charset=utf-8', 'SoAI HTTP API'],
  ['/docs/start.js', 'text/javascript; charset=utf-8', '/api/v1/openapi.json'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
])('I: %s is served without sign-in', async (target, type, words) => {
  const answer = await api.get(target);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
  expect(answer.text).toContain(words);
});

test('I: the page loads nothing from elsewhere', async () => {
  const page = await api.get('/docs');
  expect(page.text).not.toMatch(/(?:src|href)="(?!\/)/);
  expect(page.headers['content-security-policy']).toContain("default-src 'self'");
});

test.each(['/docs/index.html', '/docs/package.json', '/docs/../package.json', '/docs/%2e%2e/package.json'])(
  'S: %s is not a file of the page',
  async (target) => {
    expect((await api.get(target)).status).toBe(404);
  },
);
