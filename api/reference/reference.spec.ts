import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Router from '@koa/router';
import type { Runtime } from '../../activities/runtime';
import { settingsSchema } from '../../config/schema';
import { OPEN } from '../auth/permissions';
import { CATALOGUE } from '../errors/catalogue';
import { openApiDocument } from '../management/openapi';
import { openAiRoutes } from '../openai/routes';
import type { RequestState } from '../state';
import { documentedRoutes } from './documented-routes';
import { generatedFiles } from './generated-files';
import { OPENAI_OPERATIONS } from './openai-operations';
import { wholeDocument } from './whole-document';

const root = join(__dirname, '..', '..');

test.each(Object.entries(generatedFiles()))('%s is what the routes generate', (path, content) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(content);
});

test('the reference names every code of the catalogue', () => {
  const page = generatedFiles()['docs/http-api.md']!;
  expect(Object.keys(CATALOGUE).filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
});

test('the reference lists the OpenAI-compatible routes that exist, and no others', () => {
  const router: Router<RequestState> = new Router<RequestState>({ prefix: '/v1' });
  openAiRoutes({} as Runtime, settingsSchema.parse({}))(router);
  const registered = router.stack.flatMap((layer) =>
    layer.methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(layer.path)}`),
  );
  expect(OPENAI_OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(registered.sort());
});

test('the OpenAPI document holds both APIs, each route with what it takes and how it refuses', () => {
  const { paths, components } = wholeDocument(documentedRoutes(), '1');
  const chat = paths['/v1/chat/completions']!['post']!;
  expect(chat.requestBody!.content['application/json']!.schema).toMatchObject({
    required: expect.arrayContaining(['model', 'messages']),
    properties: { messages: { type: 'array', minItems: 1 }, n: { anyOf: [{ maximum: 128 }, { type: 'null' }] } },
  });
  expect(Object.keys(chat.responses[200]!.content!)).toEqual(['application/json', 'text/event-stream']);
  expect(chat.responses[429]!.description).toBe('rate_limit_exceeded');
  expect(components.schemas['OpenAiError']).toMatchObject({ properties: { error: { required: expect.any(Array) } } });
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/v1/models/{name}', '/api/v1/tasks']));
  for (const { path } of OPENAI_OPERATIONS) expect(paths).toHaveProperty([path.replace(/[:*](\w+)/g, '{$1}')]);
});

test('S51: what is open without signing in is exactly this', () => {
  const open = documentedRoutes().filter(({ permission }) => permission === OPEN);
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /system/health',
    'GET /system/live',
    'GET /system/ready',
    'POST /session',
  ]);
});

test('S51: every route names a permission, and none is declared twice', () => {
  const routes = documentedRoutes();
  expect(routes.filter(({ permission }) => !/^[A-Z_]+$/.test(permission))).toEqual([]);
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
});

test('S51: every route that takes a body or a query judges it strictly', () => {
  const document = openApiDocument(documentedRoutes(), '1');
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods)) {
      const body = operation.requestBody?.content['application/json']?.schema;
      if (body && !body['anyOf']) expect(body['additionalProperties']).toBe(false);
    }
  }
});

test('the OpenAPI document says who may call, with what, and what comes back', () => {
  const document = openApiDocument(documentedRoutes(), '1.2.3');
  const list = document.paths['/api/v1/tasks']!['get']!;
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
  expect(list['x-permission']).toBe('TASKS_READ');
  expect(list.parameters.map(({ name }) => name)).toEqual(['state', 'owner', 'plugin', 'model', 'limit', 'cursor']);
  expect(list.parameters.find(({ name }) => name === 'limit')!.schema).toMatchObject({
    minimum: 1,
    maximum: 200,
    default: 50,
  });
  expect(Object.keys(list.responses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '503']));
  expect(document.paths['/api/v1/tasks/{id}/cancel']!['post']!.responses['409']!.description).toBe(
    'task_already_ended',
  );
  expect(document.paths['/api/v1/system/health']!['get']!.security).toEqual([]);
});
