import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { choosePorts } from './ports';

test('ports are distinct, and kept while they are free', async () => {
  const first = await choosePorts(null);
  expect(new Set(Object.values(first)).size).toBe(4);
  expect(await choosePorts(first)).toEqual(first);
});

test('only the port that another program holds is replaced', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;
  const free = await choosePorts(null);
  const chosen = await choosePorts({ ...free, ui: taken });
  other.close();
  expect(chosen).toEqual({ ...free, ui: chosen.ui });
  expect(chosen.ui).not.toBe(taken);
});
