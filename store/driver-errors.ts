/** From the drivers' codes to the store's errors. */
import { QueryFailedError } from 'typeorm';
import {
  ConstraintViolation,
  DatabaseBusy,
  DatabaseCorrupt,
  DatabaseError,
  DatabaseFull,
  DatabaseUnavailable,
} from './errors';

type Kind = new (message: string, code: string | null, fatal?: boolean) => DatabaseError;

const sqliteKinds: Readonly<Record<string, Kind>> = {
  SQLITE_BUSY: DatabaseBusy,
  SQLITE_LOCKED: DatabaseBusy,
  SQLITE_FULL: DatabaseFull,
  SQLITE_CORRUPT: DatabaseCorrupt,
  SQLITE_NOTADB: DatabaseCorrupt,
  SQLITE_CONSTRAINT: ConstraintViolation,
  SQLITE_IOERR: DatabaseUnavailable,
  SQLITE_CANTOPEN: DatabaseUnavailable,
  SQLITE_READONLY: DatabaseUnavailable,
  SQLITE_PERM: DatabaseUnavailable,
  SQLITE_PROTOCOL: DatabaseUnavailable,
  SQLITE_MISUSE: DatabaseUnavailable,
};

// After a failed fsync nobody knows what is on the disk, so it must not be tried again (fault C9).
const fatalCodes = new Set(['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'XX001', 'XX002']);

/** SQLSTATE prefixes, the longest that matches wins. */
const postgresKinds: Readonly<Record<string, Kind>> = {
  '08': DatabaseUnavailable,
  '23': ConstraintViolation,
  '28': DatabaseUnavailable,
  '3D000': DatabaseUnavailable,
  '40001': DatabaseBusy,
  '40P01': DatabaseBusy,
  '53100': DatabaseFull,
  '53': DatabaseBusy,
  '55P03': DatabaseBusy,
  '57014': DatabaseBusy,
  '57P': DatabaseUnavailable,
  XX001: DatabaseCorrupt,
  XX002: DatabaseCorrupt,
};

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * `pg` gives no code to a connection that ended under a statement. TypeORM gives back the runner of one that
 * ended between two statements of a transaction, and then only says that it has it no more.
 */
const connectionLost =
  /connection terminated|connection error|not queryable|timeout exceeded when trying to connect|query runner already released/i;

function kindOf(code: string, message: string): Kind | null {
  if (code in sqliteKinds) return sqliteKinds[code] ?? null;
  for (const length of [5, 3, 2]) {
    const kind = code.length === 5 ? postgresKinds[code.slice(0, length)] : undefined;
    if (kind) return kind;
  }
  return networkCodes.has(code) || connectionLost.test(message) ? DatabaseUnavailable : null;
}

interface ErrorLike {
  readonly message: string;
  readonly code?: unknown;
}

// By shape: an addon's errors belong to the realm that loaded it, which under Jest is another one.
const isErrorLike = (error: unknown): error is ErrorLike =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

/** The store's error for a driver's; anything else comes back as it is. */
export function translate(error: unknown): unknown {
  if (error instanceof DatabaseError || !isErrorLike(error)) return error;
  const cause: ErrorLike = error instanceof QueryFailedError ? error.driverError : error;
  const code = typeof cause.code === 'string' ? cause.code : '';
  const kind = kindOf(code, cause.message);
  if (kind) return new kind(cause.message, code || null, fatalCodes.has(code));
  const fromDriver = error instanceof QueryFailedError || /^SQLITE_|^[0-9A-Z]{5}$/.test(code);
  return fromDriver ? new DatabaseError(cause.message, code || null) : error;
}

/** Runs `work`; what the driver throws comes out translated. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}
