import http from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { aPlugin, type ApiUnderTest, bearer, okHealth, startApi } from '../../test/api/api-under-test';
import { until } from '../../test/api/until';
import { type LiveEvent, type Task, liveEvent } from '../contract/management';
import type { Download } from '../contract/model-files';
import { EventStream } from './event-stream';

describe('GET /api/v1/events', () => {
  let api: ApiUnderTest;
  const readers: Reader[] = [];

  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.leave();
    await api.close();
  });

  async function listen(key: string): Promise<Reader> {
    const reader = new Reader(`${api.url}/api/v1/events`, key);
    readers.push(reader);
    await until(() => reader.events.length >= 2);
    return reader;
  }

  const tell = (event: LiveEvent): void => {
    for (const listener of api.listeners) listener(event);
  };

  test('begins with health and queue, then tells each change in one event named for its type', async () => {
    const reader = await listen(api.adminKey);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(reader.events.map(({ type }) => type)).toEqual(['health', 'queue']);
    tell({ type: 'plugin', plugin: aPlugin('p1') });
    await until(() => reader.events.length === 3);
    expect(reader.events[2]).toEqual({ type: 'plugin', plugin: aPlugin('p1') });
    for (const event of reader.events) liveEvent.parse(event);
  });

  test('S19: a standard account sees the tasks of its own account, no plugins and no downloads', async () => {
    const reader = await listen(api.userKey);
    tell({ type: 'download', download: { id: 'd1' } as Download });
    tell({ type: 'plugin', plugin: aPlugin('p1') });
    tell({ type: 'task', task: { id: 'theirs', account: 'admin' } as Task });
    tell({ type: 'task', task: { id: 'mine', account: 'ada' } as Task });
    tell({ type: 'health', health: okHealth() });
    await until(() => reader.events.length === 4);
    expect(reader.events.slice(2)).toEqual([
      { type: 'task', task: { id: 'mine', account: 'ada' } },
      { type: 'health', health: okHealth() },
    ]);
  });

  test('a client that leaves ends its subscription', async () => {
    const reader = await listen(api.adminKey);
    expect(api.listeners.size).toBe(1);
    reader.leave();
    await until(() => api.listeners.size === 0);
  });

  test('a HEAD request leaves nothing behind', async () => {
    expect((await api.send('HEAD', '/api/v1/events', undefined, bearer(api.adminKey))).status).toBe(200);
    await until(() => api.listeners.size === 0);
  });

  test('S22: a revoked key closes its stream within 5 s, and only its own', async () => {
    const [revoked, other] = [await listen(api.userKey), await listen(api.adminKey)];
    await api.send('DELETE', '/api/v1/keys/key-2', undefined, bearer(api.adminKey));
    await until(() => revoked.ended, 5_000);
    expect(other.ended).toBe(false);
  }, 10_000);

  test('C8: the streams end when the server stops', async () => {
    const reader = await listen(api.adminKey);
    api.stopping.abort();
    await until(() => reader.ended);
  });
});

describe('EventStream', () => {
  const event: LiveEvent = { type: 'health', health: okHealth() };

  test('T02: one chunk an event, whatever was queued before', async () => {
    const stream = new EventStream(() => undefined);
    stream.send(event);
    stream.send(event);
    stream.finish();
    const chunks: string[] = [];
    await pipeline(
      stream,
      new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(String(chunk)), setImmediate(done)) }),
    );
    const text = `event: health\ndata: ${JSON.stringify(event)}\n\n`;
    expect(chunks).toEqual([text, text]);
  });

  test('T07: silence is filled with a comment that dispatches nothing', async () => {
    const stream = new EventStream(() => undefined, 10);
    const [first] = await new Promise<Buffer[]>((resolve) => stream.once('data', (chunk: Buffer) => resolve([chunk])));
    expect(String(first)).toBe(': keep-alive\n');
    stream.destroy();
  });

  test('a reader too slow to keep up is dropped: what waits for it stays bounded', () => {
    let closed = 0;
    const stream = new EventStream(() => closed++);
    const big = { ...event, health: { ...okHealth(), version: 'x'.repeat(100_000) } };
    for (let sent = 0; sent < 100; sent++) stream.send(big);
    expect(stream.destroyed).toBe(true);
    expect(stream.readableLength).toBeLessThan(2 * 1024 * 1024);
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => expect(closed).toBe(1));
  });
});

/** An SSE client that keeps what it got. */
class Reader {
  readonly events: LiveEvent[] = [];
  headers: http.IncomingHttpHeaders = {};
  ended = false;
  private readonly request: http.ClientRequest;
  private rest = '';

  constructor(url: string, key: string) {
    this.request = http.get(url, { headers: bearer(key) }, (response) => {
      this.headers = response.headers;
      response.setEncoding('utf8').on('data', (text: string) => this.take(text));
      response.on('close', () => (this.ended = true)).on('error', () => undefined);
    });
    this.request.on('error', () => undefined);
  }

  leave(): void {
    this.request.destroy();
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) {
      const [, type, data] = /event: (\w+)\ndata: (.*)/.exec(block)!;
      const event = JSON.parse(data!) as LiveEvent;
      expect(event.type).toBe(type);
      this.events.push(event);
    }
  }
}
