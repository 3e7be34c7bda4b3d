/** Hears the webhook's notices, and answers the first one 503 so that it has to be told again. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface HeardNotice {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** What was taken, in order; a refused one counts as well. */
  readonly heard: readonly HeardNotice[];
  /** Resolves with the first that matches, now or later. */
  notice(matches: (body: Record<string, unknown>) => boolean): Promise<HeardNotice>;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const heard: HeardNotice[] = [];
  let told: () => void = () => undefined;
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      answer.writeHead(heard.length === 0 ? 503 : 204).end();
      heard.push({ headers: request.headers, body });
      told();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notices`,
    heard,
    async notice(matches) {
      for (;;) {
        const found = heard.find(({ body }) => matches(JSON.parse(body) as Record<string, unknown>));
        if (found) return found;
        await new Promise<void>((resolve) => (told = resolve));
      }
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
