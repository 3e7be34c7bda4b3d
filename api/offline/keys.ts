/** API keys from the shell, by the OS user who owns the data directory (spec J). */
import { randomUUID } from 'node:crypto';
import { newApiKey } from '../auth/api-key-format';
import type { CreatedKey } from '../contract/management';
import type { OfflineContext } from './context';
import { keyView } from '../management/key-view';
import { OfflineError } from './offline-error';

export async function createKey({ store }: OfflineContext, name: string, accountName: string): Promise<CreatedKey> {
  const account = await store.accounts.byName(accountName);
  if (!account) throw new OfflineError(5, 'account_not_found', `There is no account '${accountName}'.`);
  const { key, prefix, hash } = newApiKey();
  const row = {
    id: `key_${randomUUID()}`,
    name,
    accountId: account.id,
    prefix,
    hash,
    createdAt: Date.now(),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await store.keys.create(row);
  return { key, ...keyView(row, account.name) };
}

export async function listKeys({ store }: OfflineContext): Promise<{ data: unknown[]; next_cursor: null }> {
  const names = new Map((await store.accounts.list()).map((account) => [account.id, account.name]));
  const keys = await store.keys.list();
  return { data: keys.map((row) => keyView(row, names.get(row.accountId) ?? row.accountId)), next_cursor: null };
}

export async function revokeKey({ store }: OfflineContext, id: string): Promise<{ id: string; revoked: true }> {
  if (!(await store.keys.revoke(id, Date.now())))
    throw new OfflineError(5, 'key_not_found', `There is no live key '${id}'.`);
  return { id, revoked: true };
}
