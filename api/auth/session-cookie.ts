/** The session cookie: unreadable for scripts, never sent from other sites, TLS only where there is TLS (S44). */
import type { Context } from '../state';
import { SESSION_COOKIE } from './credentials';

export function setSessionCookie(ctx: Context, secret: string, ttlMs: number): void {
  ctx.append('set-cookie', cookie(ctx, secret, Math.floor(ttlMs / 1_000)));
}

export function clearSessionCookie(ctx: Context): void {
  ctx.append('set-cookie', cookie(ctx, '', 0));
}

function cookie(ctx: Context, value: string, maxAgeSec: number): string {
  const secure = ctx.state.client.secure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Strict${secure}`;
}
