import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';

/** A server of one spec: a handler, the requests seen, every socket it was given. */
export interface LocalUpstream {
  readonly url: string;
  readonly port: number;
  readonly requests: { readonly request: IncomingMessage; readonly body: string }[];
  readonly sockets: Socket[];
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function upstream(
  handler: Handler,
  create: (listener: RequestListener) => Server = (listener) => createServer(listener),
  scheme = 'http',
): Promise<LocalUpstream> {
  const requests: { request: IncomingMessage; body: string }[] = [];
  const server = create((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ request, body });
      handler(request, response, body);
    });
  });
  const listening = await listen(server);
  return { ...listening, url: `${scheme}://127.0.0.1:${listening.port}`, requests };
}

export async function tcpUpstream(onConnection: (socket: Socket) => void): Promise<LocalUpstream> {
  const listening = await listen(createTcpServer(onConnection));
  return { ...listening, url: `http://127.0.0.1:${listening.port}`, requests: [] };
}

async function listen(server: Server | TcpServer): Promise<Pick<LocalUpstream, 'port' | 'sockets' | 'close'>> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
