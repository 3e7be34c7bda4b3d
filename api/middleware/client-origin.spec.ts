import type { Socket } from 'node:net';
import type { ClientOrigin, Context } from '../state';
import { clientOrigin } from './client-origin';

async function originOf(
  trusted: string[],
  remoteAddress: string,
  headers: Record<string, string> = {},
  socket: object = {},
): Promise<ClientOrigin> {
  const req = { headers: { host: 'soai.example:8420', ...headers }, socket: { remoteAddress, ...socket } as Socket };
  const ctx = { req, state: {} } as unknown as Context & { state: { client: ClientOrigin } };
  await clientOrigin(trusted)(ctx, () => Promise.resolve());
  return ctx.state.client;
}

describe('S42: who is at the other end', () => {
  test('S42: forwarding headers of anybody are not believed, and end "local"', async () => {
    const spoofed = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil' };
    expect(await originOf([], '192.0.2.1', spoofed)).toEqual({
      address: '192.0.2.1',
      secure: false,
      host: 'soai.example:8420',
      local: false,
    });
    expect((await originOf([], '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).local).toBe(false);
  });

  test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('S46: %s is this machine', async (address) => {
    expect((await originOf([], address)).local).toBe(true);
  });

  test.each(['192.0.2.1', '10.0.0.1', '::ffff:192.0.2.1', 'fe80::1', ''])('S46: %s is not', async (address) => {
    expect((await originOf([], address)).local).toBe(false);
  });

  test('S42: behind trusted proxies the nearest address that is not one of them counts', async () => {
    const origin = await originOf(['10.0.0.0/8', 'fd00::/8'], '10.0.0.1', {
      'x-forwarded-for': '203.0.113.9, 192.0.2.1, 10.0.0.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'ai.example',
    });
    expect(origin).toEqual({ address: '192.0.2.1', secure: true, host: 'ai.example', local: false });
  });

  test('S38: 100 KB of blanks cost nothing', async () => {
    const startedAt = performance.now();
    const origin = await originOf(['10.0.0.1'], '10.0.0.1', { 'x-forwarded-for': ' '.repeat(100 * 1024) });
    expect(origin.address).toBe('10.0.0.1');
    expect(performance.now() - startedAt).toBeLessThan(20);
  });

  test('an encrypted socket is secure', async () => {
    expect((await originOf([], '192.0.2.1', {}, { encrypted: true })).secure).toBe(true);
  });
});
