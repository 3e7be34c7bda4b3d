import { randomUUID } from 'node:crypto';
import type { Access } from './access';
import { AccountEntity } from './entities/account';
import { plain, plainOrNull } from './plain';
import type { Account } from './records';
import type { Accounts } from './store';

const adminName = 'admin';
const oldestFirst = { order: { createdAt: 'ASC', id: 'ASC' } } as const;

export const accountsOver = ({ read, write }: Access): Accounts => ({
  get: (id) => read(async ({ manager }) => plainOrNull(await manager.findOneBy(AccountEntity, { id }))),

  byName: (name) => read(async ({ manager }) => plainOrNull(await manager.findOneBy(AccountEntity, { name }))),

  list: () => read(async ({ manager }) => (await manager.find(AccountEntity, oldestFirst)).map(plain)),

  ensureAdmin: (now) =>
    write(async ({ manager }) => {
      const existing =
        (await manager.findOneBy(AccountEntity, { name: adminName })) ??
        (await manager.findOne(AccountEntity, { ...oldestFirst, where: { role: 'administrator' } }));
      if (existing) return plain(existing);
      const admin: Account = {
        id: randomUUID(),
        name: adminName,
        role: 'administrator',
        passwordHash: null,
        disabled: false,
        createdAt: now,
      };
      // Another process may be making it too; the name decides.
      await manager.createQueryBuilder().insert().into(AccountEntity).values(admin).orIgnore().execute();
      return plain(await manager.findOneByOrFail(AccountEntity, { name: adminName }));
    }),

  create: (account) =>
    write(async ({ manager }) => {
      await manager.insert(AccountEntity, account);
    }),

  setPassword: (id, passwordHash) =>
    write(async ({ manager }) => {
      await manager.update(AccountEntity, { id }, { passwordHash });
    }),
});
