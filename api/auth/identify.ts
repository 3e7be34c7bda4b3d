/** The middleware that says who is asking. A bad credential ends the request; none at all does not. */
import { AppError } from '../errors/app-error';
import type { Middleware } from '../state';
import { readCredential } from './credentials';
import { requireCsrfToken } from './csrf';
import type { Identities } from './identities';
import { type Permission, permits } from './permissions';

export function identify(identities: Identities): Middleware {
  return async (ctx, next) => {
    const credential = readCredential(ctx.req);
    if (credential.kind === 'key_in_url') {
      throw new AppError('invalid_api_key', {
        message: 'API keys are not taken from the URL, which ends up in logs; use the Authorization header.',
      });
    }
    const identity = await identities.resolve(credential);
    // One answer for every bad token (S9). A dead session is merely signed out.
    if (identity === null && (credential.kind === 'token' || credential.kind === 'unreadable')) {
      throw new AppError('invalid_api_key');
    }
    if (identity) requireCsrfToken(ctx, identity);
    ctx.state.identity = identity;
    await next();
  };
}

/** For the OpenAI routes. */
export function requirePermission(permission: Permission): Middleware {
  return async (ctx, next) => {
    if (!ctx.state.identity) {
      throw new AppError('invalid_api_key', {
        message: 'You did not provide an API key: send "Authorization: Bearer sk-soai-…".',
      });
    }
    if (!permits(ctx.state.identity.account, permission)) throw new AppError('insufficient_permissions');
    await next();
  };
}
