/** The `Idempotency-Key` header (A9): scope is owner and route, the body decides whether it is the same request. */
import { createHash } from 'node:crypto';
import type { NewTask } from '../../store/records';
import { AppError } from '../errors/app-error';

const MAX_KEY_LENGTH = 255;

export function idempotencyOf(
  header: string,
  route: string,
  bodyText: string,
  expiresAt: number,
): NewTask['idempotency'] {
  if (header === '') return null;
  if (header.length > MAX_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(header)) {
    throw new AppError('invalid_value', {
      param: 'Idempotency-Key',
      message: `The Idempotency-Key header must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters without blanks.`,
    });
  }
  return { key: header, route, bodyHash: createHash('sha256').update(bodyText).digest('hex'), expiresAt };
}
