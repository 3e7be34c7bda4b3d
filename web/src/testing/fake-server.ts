/** Answers `fetch` in specs. What is not scripted fails as an unreachable server does. */
export class FakeServer {
  readonly calls: {
    method: string;
    path: string;
    query: URLSearchParams;
    headers: Record<string, string>;
    body: unknown;
  }[] = [];
  private readonly answers = new Map<string, (path: string) => Response | Promise<Response>>();

  install(): void {
    globalThis.fetch = (input, init) => this.answer(input as string, init ?? {});
  }

  on(route: string, answer: () => Response | Promise<Response>): this {
    this.answers.set(route, answer);
    return this;
  }

  json(route: string, body: unknown, status = 200, headers: Record<string, string> = {}): this {
    return this.on(route, () => json(body, status, headers));
  }

  problem(route: string, status: number, code: string, message = 'It went wrong.'): this {
    return this.json(route, { error: { code, message, hint: null, request_id: 'req-1' } }, status);
  }

  down(): void {
    this.answers.clear();
  }

  count(route: string): number {
    return this.calls.filter((call) => `${call.method} ${call.path}` === route).length;
  }

  private async answer(url: string, init: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(url, 'http://soai.test');
    const method = init.method ?? 'GET';
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : null;
    this.calls.push({
      method,
      path: pathname,
      query: searchParams,
      headers: init.headers as Record<string, string>,
      body,
    });
    const answer = this.answers.get(`${method} ${pathname}`);
    if (!answer) throw new TypeError('fetch failed');
    return await orAborted(Promise.resolve(answer(pathname)), init.signal);
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** As fetch does: an abort rejects the call, and breaks a body that is still being read. */
async function orAborted(answer: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
  if (!signal) return await answer;
  const response = await new Promise<Response>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    answer.then(resolve, reject);
  });
  if (!response.body) return response;
  const body = response.body.pipeThrough(new TransformStream(), { signal });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** A body a spec feeds by hand. */
export class FeedableBody {
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private readonly encoder = new TextEncoder();
  cancelled = false;

  readonly stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.controller = controller;
    },
    cancel: () => {
      this.cancelled = true;
    },
  });

  response(headers: Record<string, string> = {}): Response {
    return new Response(this.stream, { headers: { 'content-type': 'text/event-stream', ...headers } });
  }

  feed(text: string): void {
    this.controller.enqueue(this.encoder.encode(text));
  }

  event(body: unknown): void {
    this.feed(`data: ${JSON.stringify(body)}\n\n`);
  }

  end(): void {
    this.controller.close();
  }

  break(): void {
    this.controller.error(new TypeError('network error'));
  }
}
