/** A management API whose answers each test writes; it records what it was asked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

export type Answer = object | ((response: ServerResponse, request: IncomingMessage) => void);

export class FakeApi {
  readonly asked: Asked[] = [];
  private readonly server: Server;

  private constructor(private readonly routes: Readonly<Record<string, Answer>>) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  /** Routes are keyed `METHOD /path`, the query left out. */
  static async start(routes: Readonly<Record<string, Answer>>): Promise<FakeApi> {
    const api = new FakeApi(routes);
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const { method = '', url = '' } = request;
    const authorization = request.headers.authorization ?? null;
    this.asked.push({ method, url, authorization, body: text === '' ? null : JSON.parse(text) });
    const answer = this.routes[`${method} ${url.split('?')[0]}`];
    if (answer === undefined) refuse(404, 'unknown_url', 'There is nothing at this address.')(response);
    else if (typeof answer === 'function') answer(response, request);
    else json(200, answer)(response);
  }
}

export function json(status: number, body: unknown): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

export function refuse(status: number, code: string, message: string, hint: string | null = null) {
  return json(status, { error: { code, message, hint, param: null, request_id: 'req_1' } });
}

/** Each part is one write; `end: false` leaves the stream open, `'reset'` breaks it. */
export function sse(parts: readonly string[], end: boolean | 'reset' = true): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const part of parts) response.write(part);
    if (end === 'reset') setImmediate(() => response.destroy());
    else if (end) response.end();
  };
}
