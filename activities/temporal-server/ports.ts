/** Picks loopback ports: the remembered ones while they are free, so that addresses outlive a restart. */
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LOOPBACK, type ServerPorts } from './command-line';

export async function choosePorts(remembered: ServerPorts | null): Promise<ServerPorts> {
  // All are held at once so that none is given twice.
  const held: Server[] = [];
  const hold = async (wanted: number | undefined): Promise<number> => {
    const server = (wanted && (await listen(wanted))) || (await listen(0));
    if (!server) throw new Error('no free loopback port');
    held.push(server);
    return (server.address() as AddressInfo).port;
  };
  try {
    return {
      grpc: await hold(remembered?.grpc),
      ui: await hold(remembered?.ui),
      metrics: await hold(remembered?.metrics),
      http: await hold(remembered?.http),
    };
  } finally {
    await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))));
  }
}

async function listen(port: number): Promise<Server | null> {
  const server = createServer();
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
}
