/** A TCP proxy on loopback that does to its connections what its toxics say. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Link, Toxic } from './toxics';

/** Seen from the client: `up` is what it sends, `down` what it gets. */
export type Direction = 'up' | 'down';

export class TcpProxy {
  readonly #toxics: Record<Direction, Set<Toxic>> = { up: new Set(), down: new Set() };
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;
  #halfOpen = false;

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  static async listen(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.up();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Applies to connections made from now on. Returns the way to take it away again. */
  add(direction: Direction, toxic: Toxic): () => void {
    this.#toxics[direction].add(toxic);
    return () => this.#toxics[direction].delete(toxic);
  }

  /** Connections made from now on are accepted and get no answer, not even a close. */
  halfOpen(on: boolean): void {
    this.#halfOpen = on;
  }

  /** The port refuses connections, those there are reset. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Listens (again), on the same port. */
  async up(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#join(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return this.down();
  }

  #join(client: Socket): void {
    this.#track(client);
    if (this.#halfOpen) return void client.resume();
    const backend = connect({ ...this.target, allowHalfOpen: true, noDelay: true });
    this.#track(backend);
    const link = linkOf(client, backend);
    void pump(client, backend, [...this.#toxics.up], link);
    void pump(backend, client, [...this.#toxics.down], link);
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}

export const startTcpProxy = (target: { readonly host: string; readonly port: number }): Promise<TcpProxy> =>
  TcpProxy.listen(target);

/** Either end's error resets the other: a proxy must not turn an RST into a clean close. */
function linkOf(client: Socket, backend: Socket): Link {
  const gone = new AbortController();
  for (const [one, other] of [
    [client, backend],
    [backend, client],
  ] as const) {
    one.once('close', (hadError) => {
      gone.abort();
      if (hadError) other.resetAndDestroy();
    });
  }
  return {
    gone: gone.signal,
    close: () => void (client.end(), backend.end()),
    reset: () => void (client.resetAndDestroy(), backend.resetAndDestroy()),
  };
}

async function pump(from: Socket, to: Socket, toxics: readonly Toxic[], link: Link): Promise<void> {
  let bytes: AsyncIterable<Buffer> = from;
  for (const toxic of toxics) bytes = toxic(bytes, link);
  try {
    for await (const part of bytes) {
      if (to.destroyed || to.writableEnded) return;
      if (part.length > 0) await new Promise<void>((resolve) => to.write(part, () => resolve()));
    }
    to.end();
  } catch {
    // The source was reset; linkOf has passed that on.
  }
}
