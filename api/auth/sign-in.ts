/** Signing in by password, or once by the set-up token that gives `admin` its password. */
import type { Account, Session } from '../../store/records';
import type { Store } from '../../store/store';
import { AppError } from '../errors/app-error';
import type { ClientOrigin } from '../state';
import { hashPassword, verifyPassword } from './password';
import { newSecret, sha256Hex } from './secrets';
import { SignInThrottle } from './sign-in-throttle';

export const SESSION_TTL_MS = 7 * 24 * 60 * 60 * 1_000;

export interface SignedIn {
  readonly account: Account;
  readonly session: Session;
  /** The cookie's value. */
  readonly secret: string;
}

export class SignIn {
  private readonly throttle = new SignInThrottle();

  constructor(
    private readonly store: Pick<Store, 'accounts' | 'sessions'>,
    private readonly now: () => number,
  ) {}

  async byPassword(name: string, password: string, client: ClientOrigin): Promise<SignedIn> {
    await this.throttle.count(name, client.address);
    const account = await this.store.accounts.byName(name);
    const right = await verifyPassword(password, account?.passwordHash ?? null);
    // One answer, and about one time, for no such account, a wrong password and a disabled account.
    if (!account || account.disabled || !right) throw new AppError('sign_in_failed');
    await this.throttle.succeeded(name, client.address);
    return this.open(account);
  }

  /** Works only from this machine and only while `admin` has no password. */
  async bySetupToken(token: string, password: string, client: ClientOrigin): Promise<SignedIn> {
    await this.throttle.count('(setup)', client.address);
    const admin = await this.store.accounts.ensureAdmin(this.now());
    if (!client.local || admin.passwordHash !== null) throw new AppError('setup_token_invalid');
    const passwordHash = await hashPassword(password);
    // Spent only after all that can take time or fail by itself.
    if (!(await this.store.sessions.useSetupToken(sha256Hex(token), this.now())))
      throw new AppError('setup_token_invalid');
    await this.store.accounts.setPassword(admin.id, passwordHash);
    await this.store.sessions.removeAllOf(admin.id);
    return this.open({ ...admin, passwordHash });
  }

  /** Always a new session, never the one the browser came with (S43). */
  private async open(account: Account): Promise<SignedIn> {
    const at = this.now();
    const secret = newSecret();
    const session: Session = {
      hash: sha256Hex(secret),
      accountId: account.id,
      csrf: newSecret(),
      createdAt: at,
      expiresAt: at + SESSION_TTL_MS,
    };
    await this.store.sessions.removeExpired(at);
    await this.store.sessions.create(session);
    return { account, session, secret };
  }
}
