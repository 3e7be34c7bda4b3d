/** Backends that answer with something that no client should see. */
import { backends, chat, chunksOf, contentOf, endsWithDone, errorOf, readStream, withSoai } from '../harness';
import {
  chunk,
  completion,
  DONE,
  errorEvent,
  ev,
  fin,
  gzipBomb,
  json,
  redirect,
  role,
  startUpstream,
  stream,
  thenCloseIdle,
  times,
} from '../upstream';
import { startTcpProxy, type TcpProxy } from '../upstream/tcp-proxy';
import { settings } from './settings';

const MIB = 1024 * 1024;
const MODELS = 'k-error k-whole d9-long d9-too-long d16 d17 d21'.split(' ');
let proxy: TcpProxy;

beforeAll(async () => {
  proxy = await startTcpProxy({ host: '127.0.0.1', port: 1 });
  proxy.halfOpen(true);
});
afterAll(() => proxy.close());

const fixture = withSoai((upstream) =>
  settings(
    backends(
      { id: 'up', url: upstream.url, models: MODELS, settings: { API_KEY: 'sk-backend-secret' } },
      { id: 'half-open', url: `http://127.0.0.1:${proxy.port}/v1`, models: ['d2'] },
    ),
    { MODELS: { ROUTING: { TIMEOUTS: { FIRST_BYTE_SEC: 2 }, RETRY: { TRANSIENT_RETRIES: 1 } } } },
  ),
);

const end = [ev(fin()), DONE];
const ask = async (model: string) => readStream(await chat(fixture.soai, model, { stream: true }));

test('K: an error event before any content is a failed try; the client sees the next one only', async () => {
  const error = { message: 'overloaded', type: 'server_error', code: 'server_error' };
  fixture.upstream
    .model('k-error')
    .answers(errorEvent([ev(role())], error), stream([ev(role()), ev(chunk('good')), ...end]));
  const seen = await ask('k-error');
  expect(contentOf(seen)).toBe('good');
  expect(seen.text).not.toContain('overloaded');
  expect(chunksOf(seen).filter(({ choices }) => choices?.[0]?.delta.role)).toHaveLength(1);
});

test('K: a backend that answers a stream request whole still gives the client a stream', async () => {
  fixture.upstream.model('k-whole').answers(json(completion('all at once')));
  const answer = await chat(fixture.soai, 'k-whole', { stream: true });
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const seen = await readStream(answer);
  expect(contentOf(seen)).toBe('all at once');
  expect(endsWithDone(seen)).toBe(true);
});

test('D9: a line of 3 MiB is handed on whole', async () => {
  const long = 'x'.repeat(3 * MIB);
  fixture.upstream.model('d9-long').answers(stream([ev(chunk(long)), ...end]));
  expect(contentOf(await ask('d9-long'))).toBe(long);
});

test('D9, K: a line over 4 MiB is an error event', async () => {
  fixture.upstream.model('d9-too-long').answers(stream([ev(chunk('a')), ev(chunk('x'.repeat(5 * MIB))), ...end]));
  const seen = await ask('d9-too-long');
  expect(errorOf(seen)?.code).toBe('stream_event_too_large');
  expect(seen.text).not.toContain('[DONE]');
});

test('D16: an answer that inflates without end is a failed try', async () => {
  fixture.upstream.model('d16').answers(gzipBomb(1024 * MIB));
  expect((await chat(fixture.soai, 'd16')).status).toBe(200);
  expect(fixture.upstream.model('d16').requests).toHaveLength(2);
});

test('D17: a redirect is not followed, so the key stays where it belongs', async () => {
  const elsewhere = await startUpstream();
  fixture.upstream.model('d17').always(redirect(`${elsewhere.url}/chat/completions`));
  const answer = await chat(fixture.soai, 'd17');
  expect(answer.status).toBe(502);
  expect(await answer.text()).not.toContain('sk-backend-secret');
  expect(elsewhere.connections).toBe(0);
  expect(fixture.upstream.model('d17').requests[0]?.headers.authorization).toBe('Bearer sk-backend-secret');
  await elsewhere.close();
});

test('D21: kept-alive connections that the backend closes cost no request', async () => {
  fixture.upstream.model('d21').always(thenCloseIdle(json(completion('ok'))));
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all(times(5, () => chat(fixture.soai, 'd21')));
    expect(answers.map(({ status }) => status)).toEqual(times(5, () => 200));
  }
});

test('D2: a backend that accepts and says nothing costs the first-byte deadline, twice with one retry', async () => {
  const start = performance.now();
  const answer = await chat(fixture.soai, 'd2');
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ error: { code: 'upstream_timeout', type: expect.any(String) } });
  expect(performance.now() - start).toBeGreaterThan(3_900);
  expect(performance.now() - start).toBeLessThan(8_000);
});
