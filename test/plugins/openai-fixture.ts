/** Servers and adapters of the openai-compatible specs, closed after each test. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Adapter, UpstreamFailure } from '../../plugins/adapter';
import { plugin } from '../../plugins/openai-compatible';
import { formatEvent } from '../../plugins/sse/write-event';
import { adapterOf } from './adapter-fixture';
import { tcpUpstream, upstream, type LocalUpstream } from './local-upstream';

export const KEY = 'canary-5f1c0e77b2';
export const OK = '{"id":"x","object":"chat.completion","choices":[]}';
export const chunk = (content: string): string =>
  formatEvent(JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));

const open: { close(): Promise<void> }[] = [];
const adapters: Adapter[] = [];

export async function serve(...args: Parameters<typeof upstream>): Promise<LocalUpstream> {
  const server = await upstream(...args);
  open.push(server);
  return server;
}

export async function serveTcp(...args: Parameters<typeof tcpUpstream>): Promise<LocalUpstream> {
  const server = await tcpUpstream(...args);
  open.push(server);
  return server;
}

export function adapter(baseUrl: string, settings: Record<string, unknown> = {}): Adapter {
  const made = adapterOf(plugin, { BASE_URL: baseUrl, ...settings });
  adapters.push(made);
  return made;
}

export function json(response: ServerResponse, text: string, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export async function failure(work: Promise<unknown>): Promise<UpstreamFailure> {
  return work.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: UpstreamFailure) => error,
  );
}

afterEach(async () => {
  await Promise.all(adapters.splice(0).map((one) => one.stop()));
  await Promise.all(open.splice(0).map((one) => one.close()));
});

export async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}
