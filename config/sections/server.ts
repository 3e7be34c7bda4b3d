import { isIP } from 'node:net';
import { z } from 'zod';
import { count, seconds, section, setting } from '../setting';

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,62})(\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*$/;

const host = z
  .string()
  .refine(
    (value) => isIP(value) !== 0 || HOST_NAME.test(value),
    'must be an IP address or a host name, without a port',
  );

const proxy = z.string().refine((value) => {
  const [address = '', prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}, 'must be an IP address or a CIDR range such as 10.0.0.0/8');

export const server = section('The HTTP server: API, WebUI and docs.', {
  HOST: setting(host.default('127.0.0.1'), {
    description:
      'Address to listen on. Beyond loopback every caller still needs a key or a session; put TLS in front of it.',
  }),
  PORT: setting(z.int().min(0).max(65_535).default(8420), {
    description: 'Port to listen on. 0 picks a free one, which the last start-up line names.',
  }),
  MAX_BODY_BYTES: count(
    33_554_432,
    1024,
    'bytes',
    'Largest request body, counted after decompression. A larger one is refused with 413.',
  ),
  SHUTDOWN_DRAIN_SEC: seconds(
    15,
    'How long a stop waits for running requests before it requeues or cancels what is left.',
    'zero',
  ),
  TRUSTED_PROXIES: setting(z.array(proxy).default([]), {
    description: 'Addresses or CIDR ranges whose X-Forwarded-* headers are believed. Empty: nobody is.',
  }),
  KEEP_ALIVE_COMMENT_SEC: seconds(
    15,
    'Longest silence on an open stream before a comment line keeps proxies from closing it.',
  ),
});
