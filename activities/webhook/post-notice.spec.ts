import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Notice } from './notice';
import { postsTo, receiverProblem } from './post-notice';

const NOTICE: Notice = { id: 'x', type: 'circuit.opened', plugin: 'p', state: 'open', reason: 'ä', at: 1 };
const SECRET = 'a secret of the receiver';

let server: Server;
let url: string;
let status = 204;
let heard: { message: IncomingMessage; body: string }[] = [];

beforeAll(async () => {
  server = createServer((message, answer) => {
    void text(message).then((body) => {
      heard.push({ message, body });
      if (status !== 0) answer.writeHead(status, { location: '/elsewhere' }).end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise<unknown>((resolve) => server.close(resolve));
});
beforeEach(() => {
  heard = [];
  status = 204;
});

const post = (to = url, secret: string | null = SECRET, timeoutMs = 20_000) =>
  postsTo({ url: to, secret, timeoutMs, now: () => 1_700_000_000_999 })(NOTICE, new AbortController().signal);

test('F3: the body is JSON, and its signature covers time and body', async () => {
  expect(await post()).toBeNull();
  const { message, body } = heard[0]!;
  expect(JSON.parse(body)).toEqual(NOTICE);
  const digest = createHmac('sha256', SECRET).update(`1700000000.${body}`).digest('hex');
  expect(message.headers).toMatchObject({
    'content-type': 'application/json',
    'x-soai-event': 'circuit.opened',
    'x-soai-timestamp': '1700000000',
    'x-soai-signature': `sha256=${digest}`,
  });
  expect(JSON.stringify(message.rawHeaders) + body).not.toContain(SECRET);
});

test('without a secret nothing claims to be signed', async () => {
  expect(await post(url, null)).toBeNull();
  expect(heard[0]!.message.headers).not.toHaveProperty('x-soai-signature');
});

test('S2: a redirect is not followed', async () => {
  status = 302;
  expect(await post()).toEqual({ kind: 'status', status: 302 });
  expect(heard).toHaveLength(1);
});

test('a receiver that does not answer is left at its time-out, one that is away at once', async () => {
  status = 0;
  expect(await post(url, SECRET, 100)).toEqual({ kind: 'timeout' });
  expect(await post('http://127.0.0.1:1/')).toEqual({ kind: 'transport' });
});

test.each(['http://169.254.169.254/latest', 'http://[fe80::1]/', 'http://0.0.0.0/', 'http://[::ffff:169.254.1.1]/'])(
  'S1: %s is no receiver',
  (bad) => expect(receiverProblem({ url: bad })).toContain('link-local or metadata'),
);
test('S1: loopback and private addresses are', () => {
  for (const good of ['http://127.0.0.1:1/', 'https://10.0.0.1/', 'https://hooks.example.org/x'])
    expect(receiverProblem({ url: good })).toBeNull();
});
