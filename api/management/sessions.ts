/** Sign in, see who one is, sign out. */
import type { Account } from '../../store/records';
import { requireSameOrigin } from '../auth/csrf';
import type { Identities } from '../auth/identities';
import { OPEN } from '../auth/permissions';
import { clearSessionCookie, setSessionCookie } from '../auth/session-cookie';
import { SESSION_TTL_MS, SignIn } from '../auth/sign-in';
import { type Session, session, signIn } from '../contract/management';
import type { ApiDeps } from '../deps';
import { type Route, route } from './route';

export function sessionRoutes({ store, now }: ApiDeps, identities: Identities): readonly Route[] {
  const signingIn = new SignIn(store, now);
  return [
    route({
      method: 'POST',
      path: '/session',
      permission: OPEN,
      summary: 'Sign in by password, or once by the set-up link',
      description:
        'Sets the cookie `soai_session`. A set-up token also sets the password of `admin`; it works once, from the same machine.',
      request: signIn,
      response: session,
      errors: ['sign_in_failed', 'setup_token_invalid', 'rate_limit_exceeded', 'csrf_failed'],
      async handler({ ctx, identity, body }) {
        requireSameOrigin(ctx);
        const { client } = ctx.state;
        const signedIn =
          'setup_token' in body
            ? await signingIn.bySetupToken(body.setup_token, body.password, client)
            : await signingIn.byPassword(body.account, body.password, client);
        // The session the browser came with is of no use any more.
        if (identity?.proof.via === 'session') await end(identity.proof.hash);
        setSessionCookie(ctx, signedIn.secret, SESSION_TTL_MS);
        return view(signedIn.account, signedIn.session.csrf);
      },
    }),
    route({
      method: 'GET',
      path: '/session',
      permission: 'SESSION',
      summary: 'Who is signed in',
      description: '`csrf` is empty for callers without the cookie, who do not need it.',
      response: session,
      handler: ({ identity }) => view(identity.account, identity.proof.via === 'session' ? identity.proof.csrf : ''),
    }),
    route({
      method: 'DELETE',
      path: '/session',
      permission: 'SESSION',
      summary: 'Sign out',
      status: 204,
      async handler({ ctx, identity }) {
        if (identity.proof.via === 'session') await end(identity.proof.hash);
        clearSessionCookie(ctx);
      },
    }),
  ];

  async function end(hash: string): Promise<void> {
    await store.sessions.remove(hash);
    identities.forget(hash);
  }
}

function view(account: Account, csrf: string): Session {
  const { id, name, role, passwordHash } = account;
  return { account: { id, name, role }, csrf, password_set: passwordHash !== null };
}
