import { In, IsNull } from 'typeorm';
import type { Access } from './access';
import { ApiKeyEntity } from './entities/api-key';
import { plain, plainOrNull } from './plain';
import type { Keys } from './store';

export const keysOver = ({ read, write }: Access): Keys => ({
  create: (key) =>
    write(async ({ manager }) => {
      await manager.insert(ApiKeyEntity, key);
    }),

  byHash: (hash) => read(async ({ manager }) => plainOrNull(await manager.findOneBy(ApiKeyEntity, { hash }))),

  list: (accountId) =>
    read(async ({ manager }) => {
      const where = accountId === undefined ? {} : { accountId };
      const keys = await manager.find(ApiKeyEntity, { where, order: { createdAt: 'DESC', id: 'DESC' } });
      return keys.map(plain);
    }),

  revoke: (id, at) =>
    write(async ({ manager }) => {
      const { affected } = await manager.update(ApiKeyEntity, { id, revokedAt: IsNull() }, { revokedAt: at });
      return affected === 1;
    }),

  touch: (ids, at) =>
    write(async ({ manager }) => {
      await manager.update(ApiKeyEntity, { id: In(ids) }, { lastUsedAt: at });
    }),
});
