/** From a credential to an identity: keys, sessions and the operator's token. */
import type { Account, ApiKey, Session } from '../../store/records';
import type { Store } from '../../store/store';
import { AppError } from '../errors/app-error';
import { looksLikeApiKey } from './api-key-format';
import type { Credential } from './credentials';
import type { Identity, Proof } from './identity';
import { LastUsed } from './last-used';
import { RecentLookups } from './recent-lookups';
import { sameSecret, sha256Hex } from './secrets';

export interface IdentitiesDeps {
  readonly store: Pick<Store, 'accounts' | 'keys' | 'sessions'>;
  readonly operatorToken: string;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export class Identities {
  readonly lastUsed: LastUsed;
  private readonly keys: RecentLookups<{ readonly key: ApiKey; readonly account: Account }>;
  private readonly sessions: RecentLookups<{ readonly session: Session; readonly account: Account }>;
  private readonly admins: RecentLookups<Account>;

  constructor(private readonly deps: IdentitiesDeps) {
    const { store, now } = deps;
    this.lastUsed = new LastUsed(store.keys, now, deps.onError);
    this.keys = new RecentLookups(async (hash) => {
      const key = await store.keys.byHash(hash);
      const account = key && (await store.accounts.get(key.accountId));
      return key && account ? { key, account } : null;
    }, now);
    this.sessions = new RecentLookups(async (hash) => {
      const session = await store.sessions.byHash(hash);
      const account = session && (await store.accounts.get(session.accountId));
      return session && account ? { session, account } : null;
    }, now);
    this.admins = new RecentLookups(() => store.accounts.ensureAdmin(now()), now);
  }

  /** Null: the credential is not (or no longer) worth anything. A database that fails is not a bad key (T95). */
  async resolve(credential: Credential): Promise<Identity | null> {
    try {
      if (credential.kind === 'token') return await this.byToken(credential.token);
      if (credential.kind === 'session') return await this.bySession(sha256Hex(credential.secret));
      return null;
    } catch (cause) {
      throw new AppError('database_busy', { cause });
    }
  }

  /** Whether an identity would still be given today; for long streams (S22). */
  async stillHolds({ proof }: Identity): Promise<boolean> {
    if (proof.via === 'operator') return true;
    const again = proof.via === 'key' ? await this.byKeyHash(proof.hash) : await this.bySession(proof.hash);
    return again !== null;
  }

  /** To be called with a revocation or a sign-out, which then acts at once in this process. */
  forget(hash: string): void {
    this.keys.forget(hash);
    this.sessions.forget(hash);
  }

  private async byToken(token: string): Promise<Identity | null> {
    if (this.deps.operatorToken !== '' && sameSecret(token, this.deps.operatorToken)) {
      const admin = await this.admins.get('admin');
      return admin && identityOf(admin, { via: 'operator' });
    }
    return looksLikeApiKey(token) ? this.byKeyHash(sha256Hex(token)) : null;
  }

  private async byKeyHash(hash: string): Promise<Identity | null> {
    const found = await this.keys.get(hash);
    if (!found || found.account.disabled || !sameSecret(found.key.hash, hash)) return null;
    const { id, revokedAt, expiresAt } = found.key;
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= this.deps.now())) return null;
    this.lastUsed.note(id);
    return identityOf(found.account, { via: 'key', hash, keyId: id });
  }

  private async bySession(hash: string): Promise<Identity | null> {
    const found = await this.sessions.get(hash);
    if (!found || found.account.disabled || !sameSecret(found.session.hash, hash)) return null;
    if (found.session.expiresAt <= this.deps.now()) return null;
    return identityOf(found.account, { via: 'session', hash, csrf: found.session.csrf });
  }
}

function identityOf(account: Account, proof: Proof): Identity {
  const owner =
    proof.via === 'key' ? { kind: 'key' as const, id: proof.keyId } : { kind: 'account' as const, id: account.id };
  return { account, owner, via: proof.via, proof };
}
