/**
 * A scriptable fault upstream: an OpenAI-compatible backend on loopback whose every answer a test
 * can replace, down to single TCP writes, and that records what it was asked.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defaultAnswer, modelList } from './default-answers';
import { ClientGone, Exchange } from './exchange';
import { type RecordedRequest, RequestLog } from './request-log';
import { type Answer, Script } from './script';

export class Upstream extends RequestLog {
  /** GET /v1/models. */
  readonly listing = new Script('model list');
  /** Connections accepted so far. */
  connections = 0;
  /** What a script threw, other than that its client had gone: a fault of the test. */
  readonly scriptFaults: unknown[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #byNumber = new Map<number, Answer>();
  readonly #socketIds = new WeakMap<Socket, number>();
  readonly #onClose = new Map<Socket, (() => void)[]>();
  readonly #server: Server;

  private constructor() {
    super('upstream');
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, noDelay: true }, (request, response) => {
      void this.#serve(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.#socketIds.set(socket, ++this.connections);
      this.#onClose.set(socket, []);
      socket.once('close', () => {
        this.#onClose.get(socket)?.forEach((told) => told());
        this.#onClose.delete(socket);
      });
      // A reset by the peer is an expected event here; 'close' records it.
      socket.on('error', () => undefined);
    });
  }

  static async listen(port = 0): Promise<Upstream> {
    const upstream = new Upstream();
    await new Promise<void>((resolve, reject) => {
      upstream.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The BASE_URL of a plugin. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** The script of one model, made on first use. */
  model(name: string): Script {
    const script = this.#scripts.get(name) ?? new Script(`upstream model ${name}`);
    this.#scripts.set(name, script);
    return script;
  }

  /** Answers the n-th inference request, whatever its model; takes precedence over the models' scripts. */
  nth(n: number, answer: Answer): void {
    this.#byNumber.set(n, answer);
  }

  /** Closes kept-alive connections that carry no request. */
  closeIdle(): void {
    this.#server.closeIdleConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await read(request);
    if (!raw) return;
    const isListing = request.method === 'GET' && request.url === '/v1/models';
    const recorded = this.#describe(request, raw, isListing ? this.listing : this);
    const logs = isListing ? [this.listing] : [this, ...(recorded.model === null ? [] : [this.model(recorded.model)])];
    const mark = (time: 'answeredAt' | 'closedAt') => () => {
      recorded[time] = performance.now();
      logs.forEach((log) => log.changed());
    };
    response.once('finish', mark('answeredAt'));
    this.#onClose.get(request.socket)?.push(mark('closedAt'));
    logs.forEach((log) => log.add(recorded));
    try {
      await this.#answerTo(recorded, isListing)(new Exchange(recorded, response, request.socket));
    } catch (error) {
      if (!(error instanceof ClientGone)) this.scriptFaults.push(error);
      response.destroy();
    }
  }

  #describe(request: IncomingMessage, raw: Buffer, log: RequestLog): RecordedRequest {
    const body = parse(raw);
    const model = (body as { model?: unknown } | null | undefined)?.model;
    return {
      number: log.requests.length + 1,
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      raw,
      body,
      model: typeof model === 'string' ? model : null,
      socketId: this.#socketIds.get(request.socket) ?? 0,
      receivedAt: performance.now(),
      answeredAt: null,
      closedAt: null,
    };
  }

  #answerTo(request: RecordedRequest, isListing: boolean): Answer {
    if (isListing) return this.listing.next() ?? modelList([...this.#scripts.keys()]);
    const scripted =
      this.#byNumber.get(request.number) ?? (request.model === null ? null : this.model(request.model).next());
    return scripted ?? defaultAnswer(request.path, request.body, request.model);
  }
}

export const startUpstream = (port = 0): Promise<Upstream> => Upstream.listen(port);

/** The whole body, or null when the client left in its midst. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
    return Buffer.concat(parts);
  } catch {
    return null;
  }
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
