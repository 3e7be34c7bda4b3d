import { LessThanOrEqual, MoreThan } from 'typeorm';
import type { Access } from './access';
import { SessionEntity } from './entities/session';
import { SetupTokenEntity } from './entities/setup-token';
import { plainOrNull } from './plain';
import type { Sessions } from './store';

export const sessionsOver = ({ read, write }: Access): Sessions => ({
  create: (session) =>
    write(async ({ manager }) => {
      await manager.insert(SessionEntity, session);
    }),

  byHash: (hash) => read(async ({ manager }) => plainOrNull(await manager.findOneBy(SessionEntity, { hash }))),

  remove: (hash) =>
    write(async ({ manager }) => {
      await manager.delete(SessionEntity, { hash });
    }),

  removeAllOf: (accountId) =>
    write(async ({ manager }) => {
      await manager.delete(SessionEntity, { accountId });
    }),

  removeExpired: (now) =>
    write(async ({ manager }) => {
      await manager.delete(SessionEntity, { expiresAt: LessThanOrEqual(now) });
    }),

  putSetupToken: (hash, expiresAt) =>
    write(async ({ manager }) => {
      await manager.createQueryBuilder().delete().from(SetupTokenEntity).execute();
      await manager.insert(SetupTokenEntity, { hash, expiresAt });
    }),

  useSetupToken: (hash, now) =>
    write(async ({ manager }) => {
      const { affected } = await manager.delete(SetupTokenEntity, { hash, expiresAt: MoreThan(now) });
      return affected === 1;
    }),
});
