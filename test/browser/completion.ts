import type { ServerResponse } from 'node:http';

/** Writes a scripted completion stream, event by event. */
export class Completion {
  constructor(
    private readonly response: ServerResponse,
    headers: Record<string, string> = {},
  ) {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-request-id': 'req-chat',
      ...headers,
    });
    response.write(': keep-alive\n');
  }

  text(content: string): this {
    return this.event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }

  finish(reason = 'stop'): void {
    this.event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } });
    this.response.end('data: [DONE]\n\n');
  }

  /** As the gateway reports a failure after the status was sent: no [DONE]. */
  fail(code: string, message: string): void {
    this.event({ error: { message, type: 'upstream_error', param: null, code } });
    this.response.end();
  }

  event(body: unknown): this {
    this.response.write(`data: ${JSON.stringify(body)}\n\n`);
    return this;
  }
}
