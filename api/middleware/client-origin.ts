/**
 * Who is at the other end. `X-Forwarded-*` is believed only from SERVER.TRUSTED_PROXIES, so it can't
 * be used to dodge a throttle or to pose as this machine (S41, S42).
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { ClientOrigin, Middleware } from '../state';

/** More hops than this are noise, or an attack on whoever walks them (S38). */
const MAX_FORWARDED_LENGTH = 1_024;

export function clientOrigin(trustedProxies: readonly string[]): Middleware {
  const trusted = blockListOf(trustedProxies);
  return async (ctx, next) => {
    ctx.state.client = originOf(ctx.req, trusted);
    await next();
  };
}

function originOf(req: IncomingMessage, trusted: BlockList): ClientOrigin {
  const peer = plainAddress(req.socket.remoteAddress ?? '');
  const encrypted = 'encrypted' in req.socket && req.socket.encrypted === true;
  const host = req.headers.host ?? '';
  const forwarded = header(req, 'x-forwarded-for');
  if (!contains(trusted, peer)) {
    // A forwarding header means that a proxy we don't know is between: not this machine, then.
    return { address: peer, secure: encrypted, host, local: isLoopback(peer) && forwarded === '' };
  }
  const hops = forwarded.split(',').map((hop) => plainAddress(hop.trim()));
  const address = hops.findLast((hop) => isIP(hop) !== 0 && !contains(trusted, hop)) ?? peer;
  return {
    address,
    secure: encrypted || header(req, 'x-forwarded-proto') === 'https',
    host: header(req, 'x-forwarded-host') || host,
    local: forwarded === '' && isLoopback(peer),
  };
}

function header(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' && value.length <= MAX_FORWARDED_LENGTH ? value : '';
}

/** An IPv4 peer of a dual-stack socket shows as ::ffff:a.b.c.d. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function blockListOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
