import type { AdapterCall, AdapterReply, CallDeadlines, DiscoveredModel } from '../adapter';
import type { BackendOperation } from '../../workflows/contract';
import { redactor, type Redact } from '../redact';
import { Connections } from './connections';
import { exchange, type Answer } from './exchange';
import { jsonReply } from './json-reply';
import { listModels } from './list-models';
import { statusFailure } from './status-failure';
import { streamReply } from './stream-reply';

const PATHS: Readonly<Record<BackendOperation, string>> = {
  chat: '/chat/completions',
  completions: '/completions',
  embeddings: '/embeddings',
  responses: '/responses',
};

/** For the small requests that carry no deadlines of their own; their signal ends them earlier. */
const QUICK: CallDeadlines = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000 };

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly organization?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxReplyBytes: number;
}

/** Speaks the OpenAI protocol to one server. Every method throws UpstreamFailure and nothing else. */
export class OpenAiClient {
  private readonly connections = new Connections();
  private readonly base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly redact: Redact;
  private readonly maxReplyBytes: number;

  constructor(options: ClientOptions) {
    this.base = options.baseUrl.replace(/\/+$/, '');
    this.maxReplyBytes = options.maxReplyBytes;
    this.headers = {
      'accept-encoding': 'identity',
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      ...(options.organization === undefined ? {} : { 'openai-organization': options.organization }),
      ...options.headers,
    };
    this.redact = redactor([options.apiKey, ...Object.values(options.headers ?? {})]);
  }

  async call(call: AdapterCall): Promise<AdapterReply> {
    // The spread keeps the client's key order and takes over own keys as they are, `__proto__` included (S34).
    const body = Buffer.from(JSON.stringify({ ...call.body, model: call.model }));
    const answer = await this.succeed(
      exchange(this.connections, {
        method: 'POST',
        url: this.base + PATHS[call.operation],
        headers: {
          ...this.headers,
          'content-type': 'application/json',
          accept: call.stream ? 'text/event-stream, application/json' : 'application/json',
        },
        body,
        deadlines: call.deadlines,
        signal: call.signal,
      }),
    );
    const reply = call.stream ? streamReply : jsonReply;
    return reply(answer, this.maxReplyBytes, this.redact);
  }

  /** Resolves when a GET of `path`, below the base URL, succeeds. */
  async probe(path: string, signal: AbortSignal): Promise<void> {
    const answer = await this.get(this.base + path, signal);
    answer.finish(this.maxReplyBytes, QUICK.idleMs);
  }

  async models(path: string, signal: AbortSignal): Promise<DiscoveredModel[]> {
    const answer = await this.get(this.base + path, signal);
    const reply = await jsonReply(answer, this.maxReplyBytes, this.redact);
    return reply.kind === 'json' ? listModels(reply.text) : [];
  }

  /** Cuts whatever is still running. */
  close(): Promise<void> {
    return this.connections.close();
  }

  private get(url: string, signal: AbortSignal): Promise<Answer> {
    const headers = { ...this.headers, accept: 'application/json' };
    return this.succeed(
      exchange(this.connections, { method: 'GET', url, headers, body: null, deadlines: QUICK, signal }),
    );
  }

  private async succeed(exchanged: Promise<Answer>): Promise<Answer> {
    const answer = await exchanged;
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await statusFailure(answer, this.redact);
  }
}
