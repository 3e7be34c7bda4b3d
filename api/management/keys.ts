/** API keys: one's own, or everybody's for administrators. A key can do what its account can (S21). */
import { randomUUID } from 'node:crypto';
import type { Account, ApiKey as KeyRecord } from '../../store/records';
import { newApiKey } from '../auth/api-key-format';
import type { Identities } from '../auth/identities';
import type { Identity } from '../auth/identity';
import { permits } from '../auth/permissions';
import { type ApiKey, apiKey, createKey, createdKey } from '../contract/management';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import type { AccountNames } from './account-names';
import { keyView } from './key-view';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

export function keyRoutes({ store, now }: ApiDeps, identities: Identities, names: AccountNames): readonly Route[] {
  function ownKeys(identity: Identity): Promise<readonly KeyRecord[]> {
    return store.keys.list(permits(identity.account, 'ALL_ACCOUNTS') ? undefined : identity.account.id);
  }

  async function accountFor(identity: Identity, name: string | undefined): Promise<Account> {
    if (name === undefined || name === identity.account.name) return identity.account;
    if (!permits(identity.account, 'ALL_ACCOUNTS'))
      throw new AppError('insufficient_permissions', { param: 'account' });
    const account = await store.accounts.byName(name);
    if (!account) throw new AppError('account_not_found', { param: 'account' });
    return account;
  }

  async function view(key: KeyRecord): Promise<ApiKey> {
    return keyView(key, await names.of(key.accountId));
  }

  return [
    route({
      method: 'GET',
      path: '/keys',
      permission: 'KEYS_MANAGE',
      summary: 'List API keys',
      description:
        "Administrators see everybody's, others their own account's. The keys themselves are stored nowhere.",
      query: noQuery,
      response: listOf(apiKey),
      handler: async ({ identity }) => whole(await Promise.all((await ownKeys(identity)).map(view))),
    }),
    route({
      method: 'POST',
      path: '/keys',
      permission: 'KEYS_MANAGE',
      summary: 'Create an API key',
      description: 'The answer holds the key, this once.',
      request: createKey,
      response: createdKey,
      status: 201,
      errors: ['account_not_found'],
      async handler({ identity, body }) {
        const account = await accountFor(identity, body.account);
        if (body.expires_at !== undefined && body.expires_at <= now()) {
          throw new AppError('invalid_value', {
            param: 'expires_at',
            message: '"expires_at" lies in the past; it is in milliseconds since the epoch.',
          });
        }
        const { key, prefix, hash } = newApiKey();
        const record: KeyRecord = {
          id: randomUUID(),
          name: body.name,
          accountId: account.id,
          prefix,
          hash,
          createdAt: now(),
          expiresAt: body.expires_at ?? null,
          revokedAt: null,
          lastUsedAt: null,
        };
        await store.keys.create(record);
        return { ...(await view(record)), key };
      },
    }),
    route({
      method: 'DELETE',
      path: '/keys/{id}',
      permission: 'KEYS_MANAGE',
      summary: 'Revoke an API key',
      description: 'It stops working within a second and stays in the list. Repeating it is harmless.',
      response: apiKey,
      errors: ['key_not_found'],
      async handler({ identity, params }) {
        const key = (await ownKeys(identity)).find(({ id }) => id === params['id']);
        if (!key) throw new AppError('key_not_found');
        if (key.revokedAt !== null) return view(key);
        const revokedAt = now();
        await store.keys.revoke(key.id, revokedAt);
        identities.forget(key.hash);
        return view({ ...key, revokedAt });
      },
    }),
  ];
}
