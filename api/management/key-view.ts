/** An API key's record as it is shown; the key itself is stored nowhere. */
import type { ApiKey as KeyRecord } from '../../store/records';
import type { ApiKey } from '../contract/management';

export function keyView(key: KeyRecord, accountName: string): ApiKey {
  return {
    id: key.id,
    name: key.name,
    account: accountName,
    prefix: key.prefix,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  };
}
