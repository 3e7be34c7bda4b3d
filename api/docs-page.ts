/**
 * The HTTP API's reference to read and try out, at `/docs`: Swagger UI from its package, so that
 * nothing comes from elsewhere. It reads `/api/v1/openapi.json` as whoever is signed in.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context, Middleware } from './state';
import { send } from './static';

const FOLDER = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const FILES: ReadonlySet<string> = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>SoAI HTTP API</title>
    <link rel="icon" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <noscript>This page needs JavaScript; docs/http-api.md says the same as text.</noscript>
    <main id="reference"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

// A session's changing requests carry its CSRF token; a key typed into "Authorize" needs none.
const START = `let csrf = null;
async function withCsrf(request) {
  if (!['GET', 'HEAD'].includes((request.method ?? 'GET').toUpperCase())) {
    csrf ??= fetch('/api/v1/session').then((answer) => (answer.ok ? answer.json() : {})).then((session) => session.csrf);
    const token = await csrf;
    if (token) request.headers['x-soai-csrf'] = token;
  }
  return request;
}
async function start() {
  const reachable = await fetch('/api/v1/openapi.json');
  if (reachable.status === 401) {
    const note = document.createElement('p');
    note.style.padding = '2rem';
    note.innerHTML = 'Sign in to read the reference: <a href="/">open SoAI</a>, then come back to this page.';
    document.getElementById('reference').replaceChildren(note);
    return;
  }
  SwaggerUIBundle({
    url: '/api/v1/openapi.json',
    dom_id: '#reference',
    deepLinking: true,
    tryItOutEnabled: false,
    validatorUrl: null,
    requestInterceptor: withCsrf,
  });
}
start();
`;

export function serveDocsPage(): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/docs' || ctx.path === '/docs/') return text(ctx, 'text/html; charset=utf-8', PAGE);
    if (ctx.path === '/docs/start.js') return text(ctx, 'text/javascript; charset=utf-8', START);
    const name = ctx.path.startsWith('/docs/') ? ctx.path.slice('/docs/'.length) : '';
    if (!FILES.has(name)) return next();
    const file = path.join(FOLDER, name);
    send(ctx, { file, stats: await stat(file) });
  };
}

function text(ctx: Context, type: string, body: string): void {
  ctx.set({ 'content-type': type, 'cache-control': 'no-cache' });
  ctx.body = body;
  ctx.set('content-type', type);
}
