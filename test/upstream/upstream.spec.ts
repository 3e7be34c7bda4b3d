import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Agent, fetch, request } from 'undici';
import {
  bytewise,
  chunk,
  completion,
  cutBody,
  dateIn,
  DONE,
  echoOf,
  ev,
  fin,
  gzipBomb,
  halfOpen,
  hangUp,
  hold,
  html,
  json,
  rateLimited,
  redirect,
  reset,
  role,
  splitAt,
  startUpstream,
  status,
  stream,
  thenCloseIdle,
  times,
  truncatedJson,
  type Upstream,
  vectorOf,
  withLineEnds,
} from './index';

const MESSAGES = [{ role: 'user', content: 'hi there' }];
let upstream: Upstream;
let agent: Agent;

beforeEach(async () => {
  upstream = await startUpstream();
  agent = new Agent({ connections: 1, pipelining: 1 });
});

afterEach(async () => {
  await agent.destroy();
  await upstream.close();
  expect(upstream.scriptFaults).toEqual([]);
});

function ask(body: object, path = '/chat/completions', signal?: AbortSignal) {
  return request(upstream.url + path, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', 'x-test': 'yes' },
    body: JSON.stringify({ model: 'm', messages: MESSAGES, ...body }),
    signal: signal ?? null,
  });
}

const textOf = async (body: object, path?: string) => (await ask(body, path)).body.text();

describe('answers when nothing is scripted', () => {
  test('a plain chat answer echoes the last message, with usage', async () => {
    const answer = JSON.parse(await textOf({}));
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      usage: { prompt_tokens: 2, completion_tokens: 3 },
    });
    expect(answer.choices[0].message.content).toBe(echoOf({ messages: MESSAGES }));
  });

  test('a streamed one says the same, its usage only on request', async () => {
    const events = (text: string) =>
      text
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)));
    const text = await textOf({ stream: true, stream_options: { include_usage: true } });
    expect(
      events(text)
        .map((event) => event.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe('echo: hi there');
    expect(events(text).at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
    expect(text.endsWith(DONE)).toBe(true);
    expect(await textOf({ stream: true })).not.toContain('usage');
  });

  test('embeddings depend on the text only, in both encodings', async () => {
    const [floats, base64] = await Promise.all(
      ['float', 'base64'].map(async (encoding_format) =>
        JSON.parse(await textOf({ input: ['a', 'b'], encoding_format }, '/embeddings')),
      ),
    );
    expect(floats.data[1].embedding).toEqual(vectorOf('b'));
    expect([...new Float32Array(new Uint8Array(Buffer.from(base64.data[1].embedding, 'base64')).buffer)]).toEqual(
      vectorOf('b'),
    );
  });

  test('completions, responses and the model list', async () => {
    upstream.model('listed');
    expect(JSON.parse(await textOf({ prompt: 'x' }, '/completions')).choices[0].text).toBe('echo: x');
    expect(JSON.parse(await textOf({ input: 'x' }, '/responses')).output[0].content[0].text).toBe('echo: x');
    expect(await textOf({ input: 'x', stream: true }, '/responses')).toContain('event: response.completed\n');
    const list = await (await fetch(`${upstream.url}/models`)).json();
    expect(list).toMatchObject({
      object: 'list',
      data: expect.arrayContaining([expect.objectContaining({ id: 'listed' })]),
    });
    expect(upstream.listing.requests).toHaveLength(1);
    expect((await ask({}, '/nonsense')).statusCode).toBe(404);
  });
});

describe('scripts', () => {
  test('are per model and per request, then the default again', async () => {
    upstream.model('m').answers(status(500), rateLimited({ 'retry-after': 7 }));
    upstream.model('other').always(status(503));
    const seen = [];
    for (const body of [{}, {}, {}, { model: 'other' }, { model: 'other' }]) {
      const answer = await ask(body);
      seen.push([answer.statusCode, answer.headers['retry-after']]);
      await answer.body.dump();
    }
    expect(seen).toEqual([
      [500, undefined],
      [429, '7'],
      [200, undefined],
      [503, undefined],
      [503, undefined],
    ]);
    expect(upstream.model('other').requests).toHaveLength(2);
    expect(upstream.requests.map((r) => r.number)).toEqual([1, 2, 3, 4, 5]);
  });

  test('are per number over all models, which goes first', async () => {
    upstream.nth(2, status(418));
    expect((await ask({})).statusCode).toBe(200);
    expect((await ask({})).statusCode).toBe(418);
  });

  test('header functions are evaluated when the answer is sent', async () => {
    const gate = hold();
    upstream
      .model('m')
      .answers(json({}, { status: 429, headers: { 'retry-after': dateIn(60_000) }, beforeHead: gate }));
    const answering = ask({});
    await upstream.request(1);
    const opened = Date.now();
    gate.open();
    const at = Date.parse(String((await answering).headers['retry-after']));
    expect(at - opened).toBeGreaterThanOrEqual(59_000);
    expect(at - opened).toBeLessThanOrEqual(61_000);
  });

  test('a fault of the script itself is not taken for a fault of the network', async () => {
    upstream.model('m').answers(() => Promise.reject(new Error('wrong script')));
    await expect(ask({})).rejects.toThrow();
    expect(upstream.scriptFaults.splice(0)).toEqual([new Error('wrong script')]);
  });
});

describe('the wire', () => {
  test('each write is a TCP read of its own for a reader that keeps up', async () => {
    const text = ev(chunk('안녕🦀'));
    const parts = bytewise(text);
    upstream.model('m').answers(stream([...parts, ev(fin()), DONE], { between: 1 }));
    const sizes: number[] = [];
    const all: Buffer[] = [];
    for await (const part of (await ask({ stream: true })).body) {
      sizes.push((part as Buffer).length);
      all.push(part as Buffer);
    }
    expect(Buffer.concat(all).toString()).toBe(text + ev(fin()) + DONE);
    expect(sizes.filter((size) => size === 1).length).toBeGreaterThan(parts.length * 0.9);
  });

  test('bytes are sent as scripted, whatever they are', async () => {
    const odd = withLineEnds(ev(role()), '\r\n') + 'data:{"no":"blank"}\n\ndata: {"bro';
    upstream.model('m').answers(stream(splitAt(odd, 5)));
    expect(await textOf({ stream: true })).toBe(odd);
  });

  test.each([
    ['reset', 'reset'],
    ['fin', 'fin'],
  ] as const)('%s in the midst of a stream cuts it', async (_name, then) => {
    upstream.model('m').answers(
      stream(
        times(3, (i) => ev(chunk(`${i}`))),
        { then },
      ),
    );
    const { body } = await ask({ stream: true });
    await expect(body.text()).rejects.toThrow(
      then === 'reset' ? /ECONNRESET|terminated|other side/ : /terminated|other side|aborted/,
    );
    expect((await upstream.closed(1)).answeredAt).toBeNull();
  });

  test('an RST really is one, and a hang-up really is a FIN', async () => {
    const ending = (answer: typeof reset) =>
      new Promise<string>((resolve) => {
        upstream.model('m').answers(answer);
        const socket = connect(upstream.port, '127.0.0.1', () => {
          socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 13\r\n\r\n{"model":"m"}');
        });
        socket
          .once('end', () => resolve('FIN'))
          .once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
      });
    expect(await ending(reset)).toBe('ECONNRESET');
    expect(await ending(hangUp)).toBe('FIN');
  });

  test('malformed 200s: HTML, JSON that breaks off, a body shorter than promised', async () => {
    upstream.model('m').answers(html, truncatedJson, cutBody('{"a":', 100));
    expect(await textOf({})).toMatch(/^<!doctype html>/);
    const broken = await textOf({});
    expect(() => JSON.parse(broken)).toThrow(SyntaxError);
    await expect(textOf({})).rejects.toThrow();
  });

  test('redirect and gzip bomb', async () => {
    upstream.model('m').answers(redirect('http://127.0.0.1:1/'), gzipBomb(20 * 1024 * 1024));
    expect((await ask({})).headers.location).toBe('http://127.0.0.1:1/');
    const bomb = await fetch(`${upstream.url}/chat/completions`, { method: 'POST', body: '{"model":"m"}' });
    expect((await bomb.arrayBuffer()).byteLength).toBe(20 * 1024 * 1024);
    expect(Number(bomb.headers.get('content-length'))).toBeLessThan(100_000);
  });

  test('half-open says nothing; the end of the client is recorded', async () => {
    upstream.model('m').answers(halfOpen);
    const leave = new AbortController();
    const asking = ask({}, undefined, leave.signal);
    const seen = await upstream.request(1);
    expect(seen).toMatchObject({ answeredAt: null, closedAt: null });
    leave.abort();
    await expect(asking).rejects.toThrow(/abort/i);
    expect((await upstream.model('m').closed(1)).answeredAt).toBeNull();
  });

  test('closes a kept-alive connection between two requests', async () => {
    upstream.model('m').answers(thenCloseIdle(json(completion('a'))));
    expect(await textOf({})).toContain('"a"');
    await upstream.closed(1);
    expect(await textOf({})).toContain('echo');
    expect(upstream.requests[1]?.socketId).not.toBe(upstream.requests[0]?.socketId);
  });
});

describe('the record', () => {
  test('holds headers, parsed and raw body, the connection and times', async () => {
    await textOf({ messages: [{ role: 'user', content: null }] });
    await textOf({});
    const first = await upstream.answered(1);
    expect(first).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      model: 'm',
      socketId: 1,
      headers: { 'x-test': 'yes' },
    });
    expect(first.body).toEqual({ model: 'm', messages: [{ role: 'user', content: null }] });
    expect(first.raw.toString()).toBe('{"model":"m","messages":[{"role":"user","content":null}]}');
    expect(first.answeredAt).toBeGreaterThanOrEqual(first.receivedAt);
    expect(upstream.requests[1]?.socketId).toBe(1);
  });

  test('leaves out a request that was never whole', async () => {
    const socket = httpRequest(`${upstream.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-length': 100 },
    });
    socket.on('error', () => undefined);
    socket.write('{"mod');
    await new Promise((resolve) => socket.once('socket', (s) => s.once('connect', resolve)));
    socket.destroy();
    await textOf({});
    expect(upstream.requests).toHaveLength(1);
  });

  test('a wait that is in vain says what it waited for', async () => {
    await expect(upstream.model('m').request(1, 20)).rejects.toThrow(
      'upstream model m: request 1 did not happen within 20 ms',
    );
  });

  test('a gate holds the answer until the test opens it', async () => {
    const gate = hold();
    upstream.model('m').answers(stream([ev(chunk('a')), gate, ev(chunk('b')), DONE]));
    const reader = (await ask({ stream: true })).body[Symbol.asyncIterator]();
    expect(String((await reader.next()).value)).toBe(ev(chunk('a')));
    expect(upstream.requests[0]?.answeredAt).toBeNull();
    gate.open();
    expect(String((await reader.next()).value)).toContain('"b"');
  });
});
