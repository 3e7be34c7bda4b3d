import { setTimeout as delay } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatEvent } from '../../plugins/sse/write-event';
import { callOf, collect, eventsOf, textOf } from './adapter-fixture';
import { type LocalUpstream } from './local-upstream';
import { closed, KEY, OK, chunk, serve, serveTcp, adapter, json, failure } from './openai-fixture';

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
