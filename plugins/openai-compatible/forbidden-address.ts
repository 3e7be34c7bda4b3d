import { BlockList, isIP, type LookupFunction } from 'node:net';
import { lookup } from 'node:dns';

/**
 * Where no backend lives but credentials do: link-local addresses, the clouds' metadata services
 * among them, and the unspecified address (S1). Private ranges and loopback stay allowed, since
 * that is where self-hosted backends are; only administrators set a BASE_URL.
 */
const forbidden = new BlockList();
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('0.0.0.0', 8, 'ipv4');
forbidden.addAddress('100.100.100.200', 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('::', 'ipv6');

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

export class ForbiddenAddressError extends Error {
  readonly code = 'SOAI_FORBIDDEN_ADDRESS';

  constructor(address: string) {
    super(`${address} is a link-local or metadata address, which no backend may have`);
  }
}

/** For an IP literal as `URL.hostname` gives it (IPv6 in brackets); false for names. */
export function isForbiddenAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const mapped = MAPPED.exec(address);
  if (mapped !== null) {
    const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
    return isForbiddenAddress(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`);
  }
  const family = isIP(address);
  return family !== 0 && forbidden.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Vets the address that is then connected to, so a name can't change its meaning in between (S2). */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, address, family) => {
    if (error !== null) {
      callback(error, address, family);
      return;
    }
    const found = Array.isArray(address) ? address.map((one) => one.address) : [address];
    const bad = found.find(isForbiddenAddress);
    callback(bad === undefined ? null : new ForbiddenAddressError(bad), address, family);
  });
};
