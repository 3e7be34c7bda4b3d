import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { formatEvent } from '../../plugins/sse/write-event';
import { callOf, collect, eventsOf, textOf } from './adapter-fixture';
import { closed, KEY, OK, chunk, serve, serveTcp, adapter, json, failure } from './openai-fixture';

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
