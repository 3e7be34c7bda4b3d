import { hashPassword, verifyPassword } from './password';

describe('passwords', () => {
  test('argon2id in PHC form, salted: the same password twice gives two strings', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/);
    expect(other).not.toBe(one);
    expect(await verifyPassword('correct horse', one)).toBe(true);
    expect(await verifyPassword('Correct horse', one)).toBe(false);
  });

  test('a hash made elsewhere with other costs still verifies', async () => {
    // RFC 9106 has no PHC strings; this one is from the reference implementation's argon2 command:
    // printf password | argon2 somesalt -id -t 2 -m 16 -p 1
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await verifyPassword('password', reference)).toBe(true);
  });

  test('S45: no password, or nonsense in its place, is never right', async () => {
    expect(await verifyPassword('', null)).toBe(false);
    expect(await verifyPassword('x', '$argon2id$v=19$m=1$x')).toBe(false);
  });
});
