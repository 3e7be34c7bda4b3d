import { createServer, type AddressInfo } from 'node:net';
import { UpstreamFailure } from '../adapter';

/**
 * A loopback port nobody listens on: `wanted`, or for 0 any. Checked before the start because a
 * stranger on the port would answer the health check in the backend's place.
 */
export async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });
  } catch (cause) {
    throw new UpstreamFailure('configuration', `Port ${wanted} is taken; set PORT to another one or to 0.`, { cause });
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
