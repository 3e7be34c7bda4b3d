import { setTimeout as delay } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Adapter, UpstreamFailure } from '../../plugins/adapter';
import { plugin } from '../../plugins/openai-compatible';
import { formatEvent } from '../../plugins/sse/write-event';
import { adapterOf, callOf, collect, eventsOf, textOf } from './adapter-fixture';
import { tcpUpstream, upstream, type LocalUpstream } from './local-upstream';

const KEY = 'canary-5f1c0e77b2';
const OK = '{"id":"x","object":"chat.completion","choices":[]}';
const chunk = (content: string): string => formatEvent(JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));

const open: { close(): Promise<void> }[] = [];
const adapters: Adapter[] = [];

async function serve(...args: Parameters<typeof upstream>): Promise<LocalUpstream> {
  const server = await upstream(...args);
  open.push(server);
  return server;
}

async function serveTcp(...args: Parameters<typeof tcpUpstream>): Promise<LocalUpstream> {
  const server = await tcpUpstream(...args);
  open.push(server);
  return server;
}

function adapter(baseUrl: string, settings: Record<string, unknown> = {}): Adapter {
  const made = adapterOf(plugin, { BASE_URL: baseUrl, ...settings });
  adapters.push(made);
  return made;
}

function json(response: ServerResponse, text: string, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

async function failure(work: Promise<unknown>): Promise<UpstreamFailure> {
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

describe('what is sent', () => {
  test('T73, T75, T80, T81: the body goes out as it came, but for model', async () => {
    const server = await serve((_request, response) => json(response, OK));
    const body = JSON.parse(
      '{"enable_thinking":false,"model":"vm","x_vendor":{"a":[1,null]},"max_tokens":7,"messages":[{"role":"assistant","content":null}],"__proto__":{"a":1},"user":null}',
    ) as Record<string, unknown>;
    await adapter(`${server.url}/v1/`).call(callOf({ body, model: 'real' }));
    expect(server.requests[0]?.body).toBe(JSON.stringify(body).replace('"model":"vm"', '"model":"real"'));
    expect(server.requests[0]?.request.url).toBe('/v1/chat/completions');
  });

  test('each operation has its path, and the configured headers go along', async () => {
    const server = await serve((_request, response) => json(response, OK));
    const one = adapter(`${server.url}/v1`, { API_KEY: KEY, ORGANIZATION: 'org', HEADERS: { 'x-tenant': 'a' } });
    for (const operation of ['chat', 'completions', 'embeddings', 'responses'] as const) {
      await one.call(callOf({ operation }));
    }
    expect(server.requests.map(({ request }) => request.url)).toEqual([
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/embeddings',
      '/v1/responses',
    ]);
    expect(server.requests[0]?.request.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'openai-organization': 'org',
      'x-tenant': 'a',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
    });
  });

  test('S4: a body that names another server changes nothing', async () => {
    const server = await serve((_request, response) => json(response, OK));
    const body = { model: 'a', api_base: 'http://127.0.0.1:1', base_url: 'http://127.0.0.1:1', api_key: 'other' };
    await adapter(server.url, { API_KEY: KEY }).call(callOf({ body }));
    expect(server.requests[0]?.request.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('T87: a 6 MB body arrives whole', async () => {
    const server = await serve((_request, response, body) => json(response, JSON.stringify({ length: body.length })));
    const body = { model: 'm', image: 'x'.repeat(6_000_000) };
    const reply = await adapter(server.url).call(callOf({ body }));
    expect(JSON.parse(textOf(reply))).toEqual({ length: JSON.stringify(body).length });
  });
});

describe('plain answers', () => {
  test('the text is handed on exactly', async () => {
    const text = '{ "choices":[ ], "usage":null, "n":1.0e0, "s":"안녕🦀" }\n';
    const server = await serve((_request, response) => json(response, text));
    expect(textOf(await adapter(server.url).call(callOf()))).toBe(text);
  });

  test.each([
    ['HTML', 'text/html', '<html>sign in</html>'],
    ['an empty body', 'application/json', ''],
    ['truncated JSON', 'application/json', '{"choices":[{"mess'],
    ['an array', 'application/json', '[]'],
    ['an error object', 'application/json', '{"error":{"message":"overloaded"}}'],
    ['bytes that are no UTF-8', 'application/json', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('D16: 200 with %s is malformed', async (_name, type, body) => {
    const server = await serve((_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
    expect(await failure(adapter(server.url).call(callOf()))).toMatchObject({ kind: 'malformed' });
  });

  test('a Responses object may carry the error of its run', async () => {
    const text = '{"object":"response","status":"failed","error":{"code":"server_error"}}';
    const server = await serve((_request, response) => json(response, text));
    expect(textOf(await adapter(server.url).call(callOf({ operation: 'responses' })))).toBe(text);
  });

  test('a gzip answer is read although identity was asked for', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(OK)),
    );
    expect(textOf(await adapter(server.url).call(callOf()))).toBe(OK);
  });

  test('D16: a gzip bomb stops at the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage.rss();
    const failed = await failure(adapter(server.url, { MAX_REPLY_BYTES: 100_000 }).call(callOf()));
    expect(failed).toMatchObject({ kind: 'malformed', message: expect.stringContaining('100000') });
    expect(process.memoryUsage.rss() - before).toBeLessThan(32 * 1024 * 1024);
  });

  test.each(['gzip', 'zstd'])('D16: a body that is not the %s it says is malformed', async (encoding) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('nonsense'),
    );
    expect(await failure(adapter(server.url).call(callOf()))).toMatchObject({ kind: 'malformed' });
  });
});

describe('error statuses', () => {
  test.each([400, 401, 403, 404, 408, 409, 422, 429, 500, 503])('T85: %i keeps its status and body', async (status) => {
    const body = JSON.stringify({ error: { message: 'no', type: 't', param: null, code: 'c' } });
    const server = await serve((_request, response) =>
      json(response, body, status, { 'retry-after': '5', 'retry-after-ms': '4999' }),
    );
    const failed = await failure(adapter(server.url).call(callOf({ stream: true })));
    expect(failed).toMatchObject({ kind: 'status', details: { status, retryAfter: '5', retryAfterMs: '4999', body } });
  });

  test('S14: what the backend quotes of our secrets is taken out', async () => {
    const text = `{"error":{"message":"bad key ${KEY}, sk-proj-abc*****xyz, Authorization: Bearer eyJh.b-c_d, tenant t-${'9'.repeat(9)}"}}`;
    const server = await serve((_request, response) => json(response, text, 401));
    const one = adapter(server.url, { API_KEY: KEY, HEADERS: { 'x-tenant': `t-${'9'.repeat(9)}` } });
    const failed = await failure(one.call(callOf()));
    const shown = JSON.stringify({ ...failed, message: failed.message, stack: failed.stack, cause: failed.cause });
    for (const secret of [KEY, 'sk-proj', 'eyJh', '999999999']) expect(shown).not.toContain(secret);
    expect(JSON.parse(failed.details.body ?? '')).toHaveProperty('error.message');
  });

  test('a long error is cut to 4 KiB, still JSON, and a cut spares no secret', async () => {
    const message = 'é"'.repeat(40_000);
    const server = await serve((_request, response, body) =>
      body.includes('json')
        ? json(response, JSON.stringify({ error: { message, type: 't', code: 7 } }), 500)
        : json(response, `${'x'.repeat(4090)}${KEY}${'y'.repeat(100_000)}`, 500),
    );
    const one = adapter(server.url, { API_KEY: KEY });
    const asJson = await failure(one.call(callOf({ body: { model: '', kind: 'json' } })));
    // More than was read of it: no JSON any more, so the text is cut.
    expect(Buffer.byteLength(asJson.details.body ?? '')).toBeLessThanOrEqual(4096);
    const asText = await failure(one.call(callOf()));
    expect(Buffer.byteLength(asText.details.body ?? '')).toBeLessThanOrEqual(4096);
    expect(asText.details.body).not.toContain(KEY.slice(0, 6));
  });

  test('an error of 5 to 64 KiB keeps its shape', async () => {
    const error = { message: 'é"\n'.repeat(3000), type: 'invalid_request_error', param: 'messages', code: 'c' };
    const server = await serve((_request, response) => json(response, JSON.stringify({ error }), 400));
    const body = (await failure(adapter(server.url).call(callOf()))).details.body ?? '';
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4096);
    const short = JSON.parse(body) as { error: { message: string } };
    expect(short.error).toMatchObject({ ...error, message: expect.any(String) });
    expect(error.message.startsWith(short.error.message)).toBe(true);
  });

  test('S3, D17: a redirect is not followed, nothing is sent elsewhere', async () => {
    const other = await serve((_request, response) => json(response, OK));
    const server = await serve((_request, response) =>
      response.writeHead(307, { location: `${other.url}/v1?token=canary` }).end(),
    );
    const failed = await failure(adapter(server.url, { API_KEY: KEY }).call(callOf()));
    expect(failed).toMatchObject({ kind: 'configuration', details: { status: 307 } });
    expect(failed.message).toContain(other.url);
    expect(failed.message).not.toContain('canary');
    expect(other.requests).toHaveLength(0);
  });
});

describe('streams', () => {
  test('T01: events come through, one byte a write', async () => {
    const bytes = Buffer.from(chunk('안녕하세요🦀') + formatEvent('[DONE]'));
    const server = await serveTcp((socket) => {
      socket.setNoDelay(true).once('data', async () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n');
        for (const byte of bytes) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
        socket.end();
      });
    });
    const data = await collect(await adapter(server.url).call(callOf({ stream: true })));
    expect(data).toHaveLength(2);
    expect(JSON.parse(data[0] ?? '')).toEqual({ choices: [{ index: 0, delta: { content: '안녕하세요🦀' } }] });
  });

  test('T10: an event is handed on when it comes, not when the next one does', async () => {
    let response!: ServerResponse;
    const server = await serve((_request, given) => {
      response = given;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const reply = await adapter(server.url).call(callOf({ stream: true }));
    const iterator = eventsOf(reply)[Symbol.asyncIterator]();
    for (const word of ['a', 'b', 'c']) {
      const next = iterator.next();
      response.write(chunk(word));
      expect((await next).value).toMatchObject({ data: expect.stringContaining(`"${word}"`) });
    }
    response.end();
    expect((await iterator.next()).done).toBe(true);
  });

  test('a JSON object in answer to a stream request is handed on as JSON', async () => {
    const server = await serve((_request, response) => json(response, OK));
    expect(textOf(await adapter(server.url).call(callOf({ stream: true })))).toBe(OK);
  });

  test.each([
    ['application/json', '{"error":{"message":"no"}}'],
    ['text/html', '<html></html>'],
    ['text/plain', 'data: {}'],
  ])('D16: a stream request answered with %s is malformed', async (type, body) => {
    const server = await serve((_request, response) => response.writeHead(200, { 'content-type': type }).end(body));
    expect(await failure(adapter(server.url).call(callOf({ stream: true })))).toMatchObject({ kind: 'malformed' });
  });

  test('T13, D7: a reset in the middle gives what came, then a transport failure', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('a'), () => (response.socket as Socket).resetAndDestroy());
    });
    const data: string[] = [];
    const reading = (async () => {
      for await (const event of eventsOf(await adapter(server.url).call(callOf({ stream: true }))))
        data.push(event.data);
    })();
    expect(await failure(reading)).toMatchObject({ kind: 'transport' });
    expect(data.length).toBeLessThanOrEqual(1);
  });

  test('D8: a clean end without [DONE] is simply the end, left to the rules', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk('a')),
    );
    expect(await collect(await adapter(server.url).call(callOf({ stream: true })))).toHaveLength(1);
  });

  test('spec K: a line over 4 MiB is oversized and closes the socket', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ');
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(1 << 20), () => setImmediate(more));
      };
      more();
    });
    const reply = await adapter(server.url).call(callOf({ stream: true }));
    expect(await failure(collect(reply))).toMatchObject({ kind: 'oversized' });
    await closed(server.sockets[0]);
  });
});

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

describe('leaving', () => {
  const endless = (_request: unknown, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('a'));
  };

  test('T67: an abort closes the socket at once, before, while and after the answer begins', async () => {
    const server = await serve((request, response) => {
      if (request.url?.startsWith('/stream') === true) endless(request, response);
    });
    const silent = new AbortController();
    const call = adapter(`${server.url}/silent`).call(callOf({ signal: silent.signal }));
    while (server.requests.length === 0) await delay(5);
    const started = performance.now();
    silent.abort();
    expect(await failure(call)).toMatchObject({ kind: 'aborted' });
    await closed(server.sockets[0]);

    const streaming = new AbortController();
    const reply = await adapter(`${server.url}/stream`).call(callOf({ stream: true, signal: streaming.signal }));
    const iterator = eventsOf(reply)[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    streaming.abort();
    expect(await failure(next)).toMatchObject({ kind: 'aborted' });
    await closed(server.sockets[1]);
    expect(performance.now() - started).toBeLessThan(1000);

    expect(await failure(adapter(server.url).call(callOf({ signal: AbortSignal.abort() })))).toMatchObject({
      kind: 'aborted',
    });
    expect(server.requests).toHaveLength(2);
  });

  test.each([0, 1])('return() after %i events closes the socket', async (reads) => {
    const server = await serve(endless);
    const reply = await adapter(server.url).call(callOf({ stream: true }));
    const iterator = eventsOf(reply)[Symbol.asyncIterator]();
    for (let read = 0; read < reads; read += 1) await iterator.next();
    await iterator.return?.();
    await closed(server.sockets[0]);
    expect((await iterator.next()).done).toBe(true);
  });

  test('a reader that stops at [DONE] leaves the connection fit for the next call', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk('a') + formatEvent('[DONE]')),
    );
    const one = adapter(server.url);
    for (let round = 0; round < 5; round += 1) {
      for await (const event of eventsOf(await one.call(callOf({ stream: true })))) if (event.data === '[DONE]') break;
      await delay(20);
    }
    expect(server.requests).toHaveLength(5);
    expect(server.sockets).toHaveLength(1);
  });

  test('T11: after streams cut half-read, 50 fresh calls are all fine', async () => {
    const server = await serve((request, response, body) => {
      if (body.includes('"stream"')) endless(request, response);
      else json(response, OK);
    });
    const one = adapter(server.url);
    await one.call(callOf());
    for (let round = 0; round < 5; round += 1) {
      const leaving = new AbortController();
      const reply = await one.call(callOf({ stream: true, signal: leaving.signal }));
      await eventsOf(reply)[Symbol.asyncIterator]().next();
      leaving.abort();
    }
    const replies = await Promise.all(Array.from({ length: 50 }, () => one.call(callOf())));
    expect(replies.map(textOf)).toEqual(Array.from({ length: 50 }, () => OK));
  });

  test('stop() cuts what runs; a later call connects anew', async () => {
    const server = await serve((request, response, body) =>
      body.includes('"stream"') ? endless(request, response) : json(response, OK),
    );
    const one = adapter(server.url);
    const iterator = eventsOf(await one.call(callOf({ stream: true })))[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    await one.stop();
    expect(await failure(next)).toMatchObject({ name: 'UpstreamFailure' });
    expect(one.backend.state).toBe('stopped');
    expect(textOf(await one.call(callOf()))).toBe(OK);
    expect(one.backend.state).toBe('running');
  });
});

describe('connections and deadlines', () => {
  test('D1: a refused connection is a transport failure', async () => {
    const server = await serve(() => undefined);
    await server.close();
    expect(await failure(adapter(server.url).call(callOf()))).toMatchObject({ kind: 'transport' });
  });

  test('D14: an unknown name is a transport failure', async () => {
    const failed = await failure(adapter('http://no-such-host.invalid').call(callOf()));
    expect(failed).toMatchObject({ kind: 'transport' });
  });

  test('an answer that is not HTTP is malformed', async () => {
    const server = await serveTcp((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await failure(adapter(server.url).call(callOf()))).toMatchObject({ kind: 'malformed' });
  });

  const deadlines = { connectMs: 2000, firstByteMs: 150, idleMs: 150 };

  test('D5: headers that trickle run into the first-byte deadline', async () => {
    const server = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await failure(adapter(server.url).call(callOf({ deadlines })))).toMatchObject({ kind: 'timeout' });
    await closed(server.sockets[0]);
  });

  test.each([false, true])('headers alone do not meet the first-byte deadline (stream %s)', async (stream) => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' }).flushHeaders(),
    );
    const call = adapter(server.url).call(callOf({ deadlines, stream }));
    const failed = await failure(stream ? call.then(collect) : call);
    expect(failed).toMatchObject({ kind: 'timeout', message: expect.stringContaining('begin') });
    await closed(server.sockets[0]);
  });

  test('D6: a stream that falls silent runs into the idle deadline', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('a')),
    );
    const failed = await failure(
      adapter(server.url)
        .call(callOf({ deadlines, stream: true }))
        .then(collect),
    );
    expect(failed).toMatchObject({ kind: 'timeout', message: expect.stringContaining('middle') });
    await closed(server.sockets[0]);
  });

  test('E4: a slow reader is not the backend being idle', async () => {
    const server = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk('a') + chunk('b')),
    );
    const seen: string[] = [];
    for await (const event of eventsOf(await adapter(server.url).call(callOf({ deadlines, stream: true })))) {
      seen.push(event.data);
      await delay(200);
    }
    expect(seen).toHaveLength(2);
  });

  test('D2: a TLS handshake that never ends runs into the connect deadline', async () => {
    const server = await serveTcp(() => undefined);
    const call = adapter(server.url.replace('http:', 'https:')).call(
      callOf({ deadlines: { ...deadlines, connectMs: 150 } }),
    );
    expect(await failure(call)).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connection') });
  });

  test('T67: a call that is still connecting can be left', async () => {
    const server = await serveTcp(() => undefined);
    const leaving = new AbortController();
    const call = adapter(server.url.replace('http:', 'https:')).call(callOf({ signal: leaving.signal }));
    while (server.sockets.length === 0) await delay(5);
    leaving.abort();
    expect(await failure(call)).toMatchObject({ kind: 'aborted' });
  });

  test('D15: https to a plain server is a configuration failure', async () => {
    const server = await serve((_request, response) => json(response, OK));
    const failed = await failure(adapter(server.url.replace('http:', 'https:')).call(callOf()));
    expect(failed).toMatchObject({ kind: 'configuration' });
  });
});

describe('kept connections', () => {
  /** undici reuses a connection one turn of the event loop after its answer. */
  const turn = (): Promise<void> => delay(1);

  /** Answers the first request of each connection and drops it at the second. */
  function once200(): Promise<LocalUpstream> {
    const seen = new WeakSet<Socket>();
    return serve((request, response) => {
      if (seen.has(request.socket)) request.socket.destroy();
      else json(response, OK);
      seen.add(request.socket);
    });
  }

  test('D21: a kept connection that turns out closed costs the client nothing', async () => {
    const server = await once200();
    const one = adapter(server.url);
    for (let round = 0; round < 4; round += 1) {
      expect(textOf(await one.call(callOf()))).toBe(OK);
      await turn();
    }
    // 1, then 1 dropped + 1 sent again, and so on.
    expect(server.requests).toHaveLength(7);
  });

  test('D21: a fresh connection that is dropped is not asked again', async () => {
    const server = await serve((request) => request.socket.destroy());
    expect(await failure(adapter(server.url).call(callOf()))).toMatchObject({ kind: 'transport' });
    expect(server.requests).toHaveLength(1);
  });

  test('D21: once an answer has begun nothing is sent again', async () => {
    const seen = new WeakSet<Socket>();
    const server = await serve((request, response) => {
      if (!seen.has(request.socket)) json(response, OK);
      else request.socket.write('HTTP/1.1 200', () => request.socket.destroy());
      seen.add(request.socket);
    });
    const one = adapter(server.url);
    await one.call(callOf());
    await turn();
    expect(await failure(one.call(callOf()))).toMatchObject({ name: 'UpstreamFailure' });
    expect(server.requests).toHaveLength(2);
  });

  test('D21: it is sent again once, not for ever', async () => {
    let first = true;
    const server = await serve((request, response) => {
      if (first) json(response, OK);
      else request.socket.destroy();
      first = false;
    });
    const one = adapter(server.url);
    await one.call(callOf());
    await turn();
    expect(await failure(one.call(callOf()))).toMatchObject({ kind: 'transport' });
    expect(server.requests).toHaveLength(3);
  });

  test('D21: a thousand calls over connections the server keeps closing', async () => {
    let count = 0;
    const server = await serve((_request, response) => {
      json(response, OK);
      if (++count % 7 === 0) response.on('finish', () => setImmediate(() => response.socket?.end()));
    });
    const one = adapter(server.url);
    for (let round = 0; round < 100; round += 1) {
      const replies = await Promise.all(Array.from({ length: 10 }, () => one.call(callOf())));
      expect(replies.map(textOf).every((text) => text === OK)).toBe(true);
    }
  }, 30_000);
});

describe('ping and discover', () => {
  test('ping asks for the models and fails with the server', async () => {
    let status = 200;
    const server = await serve((_request, response) => json(response, '{"data":[]}', status));
    const one = adapter(`${server.url}/v1`, { API_KEY: KEY });
    await one.ping(new AbortController().signal);
    expect(server.requests[0]?.request).toMatchObject({ method: 'GET', url: '/v1/models' });
    status = 503;
    expect(await failure(one.ping(new AbortController().signal))).toMatchObject({ kind: 'status' });
  });

  test('G7: a ping that hangs ends with its signal', async () => {
    const server = await serve(() => undefined);
    expect(await failure(adapter(server.url).ping(AbortSignal.timeout(50)))).toMatchObject({ kind: 'aborted' });
  });

  test('discover reads the list, and what servers add to it', async () => {
    const list = {
      data: [
        { id: 'a', max_model_len: 4096 },
        { id: 'text-embedding-b', meta: { n_ctx_train: 512 } },
        {
          id: 'c',
          context_length: 8,
          architecture: { input_modalities: ['text', 'image', 'smell'] },
          supported_parameters: ['tools', 'reasoning', 'top_k'],
        },
        { name: 'no id' },
        null,
      ],
    };
    const server = await serve((_request, response) => json(response, JSON.stringify(list)));
    expect(await adapter(server.url).discover(new AbortController().signal)).toEqual([
      { upstreamModel: 'a', capabilities: ['chat'], modalities: ['text'], contextTokens: 4096 },
      { upstreamModel: 'text-embedding-b', capabilities: ['embeddings'], modalities: ['text'], contextTokens: 512 },
      {
        upstreamModel: 'c',
        capabilities: ['chat', 'tools', 'reasoning'],
        modalities: ['text', 'image'],
        contextTokens: 8,
      },
    ]);
  });

  test.each(['{"models":[]}', '<html>'])('discover refuses %s', async (body) => {
    const server = await serve((_request, response) => json(response, body));
    expect(await failure(adapter(server.url).discover(new AbortController().signal))).toMatchObject({
      kind: 'malformed',
    });
  });
});
