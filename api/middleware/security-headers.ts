/** S27, S32, S33: nothing from elsewhere is loaded, nobody frames us, nothing is sniffed or kept. */
import type { Middleware } from '../state';

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  // Angular writes its component styles into the document.
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "object-src 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  // Static files and event streams say otherwise themselves.
  'cache-control': 'no-store',
};

export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    if (ctx.state.client.secure) ctx.set('strict-transport-security', 'max-age=31536000');
    await next();
  };
}
