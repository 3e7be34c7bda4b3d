/**
 * Reads the one credential of a request, before any look-up. What can't be a credential is told
 * apart here, so that garbage never reaches the database (S9, S10).
 */
import type { IncomingMessage } from 'node:http';
import { KEY_PREFIX } from './api-key-format';
import { SECRET_PATTERN } from './secrets';

export const SESSION_COOKIE = 'soai_session';

export type Credential =
  | { readonly kind: 'none' }
  /** An API key or the operator's token. */
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'session'; readonly secret: string }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'key_in_url' };

const LONGEST_TOKEN = 512;
const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

export function readCredential(req: IncomingMessage): Credential {
  if (req.url?.includes(KEY_PREFIX)) return { kind: 'key_in_url' };
  // `req.headers` silently keeps the first of two; two are refused (S9).
  const authorization = req.headersDistinct['authorization'] ?? [];
  const apiKey = req.headersDistinct['x-api-key'] ?? [];
  const tokens = [...authorization.map(bearerToken), ...apiKey];
  const [token] = tokens;
  if (token === undefined) return sessionOf(req);
  const readable = tokens.length === 1 && token !== '' && token.length <= LONGEST_TOKEN;
  return readable ? { kind: 'token', token } : { kind: 'unreadable' };
}

/** '' when the header is not a bearer token. */
function bearerToken(header: string): string {
  if (header.length > LONGEST_TOKEN) return '';
  return BEARER.exec(header)?.[1] ?? '';
}

function sessionOf(req: IncomingMessage): Credential {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name !== SESSION_COOKIE || value === undefined) continue;
    return SECRET_PATTERN.test(value) ? { kind: 'session', secret: value } : { kind: 'none' };
  }
  return { kind: 'none' };
}
