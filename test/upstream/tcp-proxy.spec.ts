import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';
import { bandwidth, latency, limitData, resetPeer, slicer, slowClose, timeout, type Toxic } from './toxics';

/** Sends back what it gets; `FIN` makes it close. */
let echo: Server;
let proxy: TcpProxy;

beforeEach(async () => {
  echo = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (part) => (part.toString() === 'FIN' ? socket.end() : socket.write(part)));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await startTcpProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
});

afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

interface Talk {
  readonly socket: Socket;
  readonly parts: Buffer[];
  /** How it ended: `FIN` or an error code. */
  readonly ended: Promise<string>;
  got(bytes: number): Promise<string>;
}

function talk(say?: string): Talk {
  const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true }, () => say && socket.write(say));
  const parts: Buffer[] = [];
  const ended = new Promise<string>((resolve) => {
    socket
      .once('end', () => resolve('FIN'))
      .once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
  const text = () => Buffer.concat(parts).toString();
  const got = (bytes: number) =>
    new Promise<string>((resolve) => {
      const look = () => text().length >= bytes && resolve(text());
      socket.on('data', look);
      look();
    });
  socket.on('data', (part: Buffer) => parts.push(part));
  return { socket, parts, ended, got };
}

const spent = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work;
  return performance.now() - start;
};

const down = (toxic: Toxic) => proxy.add('down', toxic);

test('without toxics it passes everything on, closes included', async () => {
  const t = talk('hello');
  expect(await t.got(5)).toBe('hello');
  t.socket.write('FIN');
  expect(await t.ended).toBe('FIN');
});

test('latency delays what comes back', async () => {
  down(latency(120));
  expect(await spent(talk('hello').got(5))).toBeGreaterThanOrEqual(118);
});

test('a toxic taken away does not touch new connections', async () => {
  const remove = down(timeout(0));
  remove();
  expect(await talk('hello').got(5)).toBe('hello');
});

test('bandwidth caps the rate', async () => {
  down(bandwidth(2_000));
  expect(await spent(talk('x'.repeat(500)).got(500))).toBeGreaterThanOrEqual(190);
});

test('slow_close delays only the close', async () => {
  down(slowClose(100));
  const t = talk('a');
  await t.got(1);
  t.socket.write('FIN');
  expect(await spent(t.ended)).toBeGreaterThanOrEqual(98);
});

test('timeout swallows the data and then closes', async () => {
  down(timeout(60));
  const t = talk('hello');
  expect(await t.ended).toBe('FIN');
  expect(t.parts).toEqual([]);
});

test('reset_peer ends with an RST', async () => {
  down(resetPeer(10));
  expect(await talk('hello').ended).toBe('ECONNRESET');
});

test('slicer cuts reads into small writes', async () => {
  down(slicer(2, 2));
  const t = talk('abcdefgh');
  expect(await t.got(8)).toBe('abcdefgh');
  expect(t.parts.length).toBeGreaterThan(1);
});

test('limit_data closes after exactly so many bytes', async () => {
  down(limitData(3));
  const t = talk('hello');
  expect(await t.ended).toBe('FIN');
  expect(Buffer.concat(t.parts).toString()).toBe('hel');
});

test('down refuses and resets, up serves again on the same port', async () => {
  const t = talk('hello');
  await t.got(5);
  await proxy.down();
  expect(await t.ended).toBe('ECONNRESET');
  expect(await talk().ended).toBe('ECONNREFUSED');
  await proxy.up();
  expect(await talk('again').got(5)).toBe('again');
});

test('half-open accepts and stays silent', async () => {
  proxy.halfOpen(true);
  const t = talk('hello');
  await new Promise((resolve) => t.socket.once('connect', resolve));
  expect(await Promise.race([t.ended, new Promise((resolve) => setTimeout(resolve, 80, 'silence'))])).toBe('silence');
  expect(t.parts).toEqual([]);
  t.socket.destroy();
});

test("a backend's RST reaches the client as an RST", async () => {
  echo.removeAllListeners('connection');
  echo.on('connection', (socket) => socket.once('data', () => socket.resetAndDestroy()));
  expect(await talk('hello').ended).toBe('ECONNRESET');
});
