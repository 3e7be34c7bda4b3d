/**
 * Passwords as argon2id (OWASP's m=19 MiB, t=2, p=1) in the PHC string form, so that the cost can be
 * raised later without breaking what is stored.
 */
import { argon2, type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto';

const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,88})\$([A-Za-z0-9+/]{22,88})$/;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive({ ...COST, message: password, nonce });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** Null stands for an account without a password: it costs the same time and is never right (S45). */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parts = PHC.exec(stored ?? '');
  if (!parts) {
    await hashPassword(password);
    return false;
  }
  const expected = Buffer.from(parts[5]!, 'base64');
  const tag = await derive({
    message: password,
    nonce: Buffer.from(parts[4]!, 'base64'),
    memory: Number(parts[1]),
    passes: Number(parts[2]),
    parallelism: Number(parts[3]),
    tagLength: expected.length,
  });
  return timingSafeEqual(tag, expected);
}

let last: Promise<unknown> = Promise.resolve();

/** One at a time: the database driver needs the same thread pool, and each one takes 19 MiB. */
function derive(parameters: Argon2Parameters): Promise<Buffer> {
  const turn = last.then(() => compute(parameters));
  last = turn.catch(() => undefined);
  return turn;
}

function compute(parameters: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag))),
  );
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
