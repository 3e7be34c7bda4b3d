import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import type { LiveEvent, Plugin, TaskDetail } from '../../api/contract/management';
import * as fixtures from './fixtures';

const site = path.join(__dirname, '../../dist/web/browser');

/** The product's own policy, so that a page that would break under it breaks here. */
const policy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Answer = (request: Seen, response: ServerResponse) => void | Promise<void>;

/** Serves the built WebUI and plays the API from the contract's shapes; a test changes what it holds. */
export class MockSoai {
  session = fixtures.session();
  signedIn = true;
  health = fixtures.health();
  queue = fixtures.queue();
  system = fixtures.systemInfo();
  plugins: Plugin[] = [fixtures.plugin()];
  tasks: TaskDetail[] = [];
  models = ['smollm2'];
  /** By task id; others answer 404. */
  responses = new Map<string, unknown>();
  chat: Answer = (_request, response) => sendProblem(response, 404, 'model_not_found', 'No chat was scripted.');
  /** Overrides by "METHOD /path". */
  readonly overrides = new Map<string, Answer>();
  readonly seen: Seen[] = [];

  private server: Server | null = null;
  private port = 0;
  private readonly sockets = new Set<Socket>();
  private readonly listeners = new Set<ServerResponse>();

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Again on the same port after a stop, as a restarted server. */
  async start(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => void this.handle(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    this.listeners.clear();
    await closed;
  }

  send(event: LiveEvent): void {
    for (const listener of this.listeners) listener.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  requests(method: string, url: string): Seen[] {
    return this.seen.filter((each) => each.method === method && each.url.split('?')[0] === url);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const seen = { method: request.method ?? '', url: request.url ?? '/', headers: request.headers, body };
    this.seen.push(seen);
    const pathname = seen.url.split('?')[0] ?? '/';
    const override = this.overrides.get(`${seen.method} ${pathname}`);
    if (override) await override(seen, response);
    else if (pathname.startsWith('/api/v1/') || pathname.startsWith('/v1/')) await this.api(seen, pathname, response);
    else await serveSite(pathname, response);
  }

  private async api(seen: Seen, pathname: string, response: ServerResponse): Promise<void> {
    if (pathname === '/api/v1/system/health') return sendJson(response, this.health);
    if (pathname === '/api/v1/session' && seen.method === 'POST') {
      this.signedIn = true;
      return sendJson(response, this.session);
    }
    if (!this.signedIn) return sendProblem(response, 401, 'not_signed_in', 'Sign in first.');
    if (seen.method !== 'GET' && seen.headers['x-soai-csrf'] !== this.session.csrf) {
      return sendProblem(response, 403, 'csrf', 'The request does not come from the WebUI.');
    }
    const [, taskId, part] = /^\/api\/v1\/tasks\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? [];
    if (taskId) return this.task(taskId, part, response);
    switch (`${seen.method} ${pathname}`) {
      case 'GET /api/v1/session':
        return sendJson(response, this.session);
      case 'DELETE /api/v1/session':
        this.signedIn = false;
        return void response.writeHead(204).end();
      case 'GET /api/v1/queue':
        return sendJson(response, this.queue);
      case 'GET /api/v1/plugins':
        return sendJson(response, { data: this.plugins, next_cursor: null });
      case 'GET /api/v1/system/info':
        return sendJson(response, this.system);
      case 'GET /api/v1/tasks':
        return this.taskList(seen, response);
      case 'GET /api/v1/events':
        return this.events(response);
      case 'GET /v1/models':
        return sendJson(response, {
          object: 'list',
          data: this.models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'local' })),
        });
      case 'POST /v1/chat/completions':
        return void (await this.chat(seen, response));
      default:
        return sendProblem(response, 404, 'unknown_url', `There is no ${pathname}.`);
    }
  }

  private taskList(seen: Seen, response: ServerResponse): void {
    const query = new URL(seen.url, this.url).searchParams;
    const matching = this.tasks
      .filter((task) => !query.get('state') || task.state === query.get('state'))
      .filter((task) => !query.get('model') || task.model === query.get('model'))
      .sort((a, b) => b.accepted_at - a.accepted_at);
    const from = Number(query.get('cursor') ?? 0);
    const to = from + Number(query.get('limit') ?? 50);
    sendJson(response, {
      data: matching.slice(from, to).map(fixtures.summary),
      next_cursor: to < matching.length ? String(to) : null,
    });
  }

  private task(id: string, part: string | undefined, response: ServerResponse): void {
    const task = this.tasks.find((each) => each.id === id);
    if (!task) return sendProblem(response, 404, 'task_not_found', 'There is no such task.');
    if (part === 'cancel') {
      Object.assign(task, {
        state: 'cancelled',
        reason: 'cancelled_by_user',
        message: 'Cancelled by admin.',
        finished_at: Date.now(),
      });
      return sendJson(response, task);
    }
    if (part !== 'response') return sendJson(response, task);
    const stored = this.responses.get(id);
    return stored === undefined
      ? sendProblem(response, 404, 'response_not_found', 'No answer is stored.')
      : sendJson(response, stored);
  }

  private events(response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
    });
    response.write(': hello\n');
    this.listeners.add(response);
    response.on('close', () => this.listeners.delete(response));
  }
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'req-mock',
    ...headers,
  });
  response.end(JSON.stringify(body));
}

export function sendProblem(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  hint: string | null = null,
): void {
  sendJson(response, { error: { code, message, hint, request_id: 'req-mock' } }, status);
}

async function serveSite(pathname: string, response: ServerResponse): Promise<void> {
  const file = path.extname(pathname) ? path.join(site, path.normalize(pathname)) : path.join(site, 'index.html');
  try {
    const content = await readFile(file);
    const headers = {
      'content-type': types[path.extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    response.writeHead(200, headers).end(content);
  } catch {
    response.writeHead(404).end();
  }
}
