import type { Account, ApiKey, Session } from '../../../store/records';
import { ConstraintViolation } from '../../../store/errors';
import { now } from '../samples';
import { over, type OpenStore } from './subject';

const account = (id: string): Account => ({
  id,
  name: `name of ${id}`,
  role: 'standard',
  passwordHash: null,
  disabled: false,
  createdAt: now,
});

const key = (id: string, accountId: string): ApiKey => ({
  id,
  name: `key ${id}`,
  accountId,
  prefix: 'sk-abc',
  hash: `hash-${id}`,
  createdAt: now,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
});

const session = (hash: string, accountId: string, expiresAt = now + 1_000): Session => ({
  hash,
  accountId,
  csrf: 'csrf',
  createdAt: now,
  expiresAt,
});

export function people(open: OpenStore): void {
  test(
    'J: the account admin is made once, without a password',
    over(open, async ({ accounts }) => {
      const made = await Promise.all([1, 2, 3].map(() => accounts.ensureAdmin(now)));
      const [admin] = made;
      expect(admin).toMatchObject({
        name: 'admin',
        role: 'administrator',
        passwordHash: null,
        disabled: false,
        createdAt: now,
      });
      expect(made).toEqual([admin, admin, admin]);
      await expect(accounts.list()).resolves.toEqual([admin]);
      await expect(accounts.byName('admin')).resolves.toEqual(admin);
      await accounts.setPassword(admin!.id, 'argon2 hash');
      await expect(accounts.get(admin!.id)).resolves.toEqual({ ...admin, passwordHash: 'argon2 hash' });
      await expect(accounts.byName('nobody')).resolves.toBeNull();
    }),
  );

  test(
    'I: an account name is taken once',
    over(open, async ({ accounts }) => {
      await accounts.create(account('a1'));
      await expect(accounts.create({ ...account('a2'), name: account('a1').name })).rejects.toThrow(
        ConstraintViolation,
      );
      await expect(accounts.get('a1')).resolves.toEqual(account('a1'));
    }),
  );

  test(
    'S23: a key is found by its hash, listed for its account, and revoked once',
    over(open, async ({ accounts, keys }) => {
      await accounts.create(account('a1'));
      await accounts.create(account('a2'));
      await keys.create(key('k1', 'a1'));
      await keys.create({ ...key('k2', 'a2'), createdAt: now + 1, expiresAt: now + 5 });
      await expect(keys.byHash('hash-k1')).resolves.toEqual(key('k1', 'a1'));
      await expect(keys.byHash('hash')).resolves.toBeNull();
      await expect(keys.list()).resolves.toMatchObject([{ id: 'k2', expiresAt: now + 5 }, { id: 'k1' }]);
      await expect(keys.list('a1')).resolves.toEqual([key('k1', 'a1')]);
      await expect(keys.revoke('k1', now + 2)).resolves.toBe(true);
      await expect(keys.revoke('k1', now + 3)).resolves.toBe(false);
      await expect(keys.revoke('nobody', now)).resolves.toBe(false);
      await keys.touch(['k1', 'k2'], now + 4);
      await expect(keys.byHash('hash-k1')).resolves.toMatchObject({ revokedAt: now + 2, lastUsedAt: now + 4 });
      await keys.touch([], now + 5);
    }),
  );

  test(
    'I: a key of an account that does not exist is refused',
    over(open, async ({ keys }) => {
      await expect(keys.create(key('k1', 'nobody'))).rejects.toThrow(ConstraintViolation);
    }),
  );

  test(
    'S44: sessions end one by one, all of an account, or when their time is over',
    over(open, async ({ accounts, sessions }) => {
      await accounts.create(account('a1'));
      await accounts.create(account('a2'));
      for (const each of [session('s1', 'a1'), session('s2', 'a1'), session('s3', 'a2'), session('s4', 'a2', now)]) {
        await sessions.create(each);
      }
      await expect(sessions.byHash('s1')).resolves.toEqual(session('s1', 'a1'));
      const left = async (): Promise<string[]> => {
        const found = await Promise.all(['s1', 's2', 's3', 's4'].map((hash) => sessions.byHash(hash)));
        return found.flatMap((each) => (each ? [each.hash] : []));
      };
      await sessions.remove('s1');
      await expect(left()).resolves.toEqual(['s2', 's3', 's4']);
      await sessions.removeExpired(now);
      await expect(left()).resolves.toEqual(['s2', 's3']);
      await sessions.removeAllOf('a1');
      await expect(left()).resolves.toEqual(['s3']);
    }),
  );

  test(
    'S46: a setup token works once, in its time, and only the latest',
    over(open, async ({ sessions }) => {
      await sessions.putSetupToken('old', now + 1_000);
      await sessions.putSetupToken('new', now + 1_000);
      await expect(sessions.useSetupToken('old', now)).resolves.toBe(false);
      await expect(sessions.useSetupToken('new', now + 1_000)).resolves.toBe(false);
      const uses = await Promise.all([1, 2, 3].map(() => sessions.useSetupToken('new', now)));
      expect(uses.filter(Boolean)).toHaveLength(1);
    }),
  );
}
