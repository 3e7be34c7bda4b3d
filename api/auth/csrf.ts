/**
 * Requests that change something and carry the cookie must come from our own pages (S29): by what the
 * browser says about their origin, and by a token that only our pages can read.
 */
import { AppError } from '../errors/app-error';
import type { Context } from '../state';
import type { Identity } from './identity';
import { sameSecret } from './secrets';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function requireCsrfToken(ctx: Context, identity: Identity): void {
  if (identity.proof.via !== 'session' || SAFE_METHODS.has(ctx.method)) return;
  requireSameOrigin(ctx);
  if (!sameSecret(ctx.get('x-soai-csrf'), identity.proof.csrf)) throw new AppError('csrf_failed');
}

/** For requests that have no session yet: signing somebody in from elsewhere is an attack, too. */
export function requireSameOrigin(ctx: Context): void {
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'same-origin' && site !== 'none') throw new AppError('csrf_failed');
  const origin = ctx.get('origin');
  if (origin !== '' && !isOwn(origin, ctx.state.client.host)) throw new AppError('csrf_failed');
}

function isOwn(origin: string, host: string): boolean {
  // `Origin: null` (sandboxed frames, files) is no URL and so never ours.
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
