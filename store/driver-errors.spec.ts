import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { translate, translating } from './driver-errors';
import {
  ConstraintViolation,
  DatabaseBusy,
  DatabaseCorrupt,
  DatabaseError,
  DatabaseFull,
  DatabaseUnavailable,
  InvalidCursor,
} from './errors';

const driverError = (code: string, message = 'what the driver says'): Error =>
  Object.assign(new Error(message), { code });

test.each([
  ['SQLITE_BUSY', DatabaseBusy],
  ['SQLITE_LOCKED', DatabaseBusy],
  ['SQLITE_FULL', DatabaseFull],
  ['SQLITE_CORRUPT', DatabaseCorrupt],
  ['SQLITE_NOTADB', DatabaseCorrupt],
  ['SQLITE_CONSTRAINT', ConstraintViolation],
  ['SQLITE_CANTOPEN', DatabaseUnavailable],
  ['SQLITE_IOERR', DatabaseUnavailable],
  ['23505', ConstraintViolation],
  ['40P01', DatabaseBusy],
  ['53100', DatabaseFull],
  ['53300', DatabaseBusy],
  ['55P03', DatabaseBusy],
  ['57P01', DatabaseUnavailable],
  ['08006', DatabaseUnavailable],
  ['28P01', DatabaseUnavailable],
  ['XX001', DatabaseCorrupt],
  ['ECONNREFUSED', DatabaseUnavailable],
])('C1: %s is translated by its code', (code, kind) => {
  const translated = translate(driverError(code));
  expect(translated).toBeInstanceOf(kind);
  expect(translated).toMatchObject({ code, message: 'what the driver says' });
});

test('T95: a connection lost under a statement has no code and is unavailable', () => {
  expect(translate(new Error('Connection terminated unexpectedly'))).toBeInstanceOf(DatabaseUnavailable);
});

test('T95: a connection lost between two statements of a transaction is unavailable too', () => {
  expect(translate(new QueryRunnerAlreadyReleasedError())).toBeInstanceOf(DatabaseUnavailable);
});

test.each([
  ['SQLITE_IOERR', true],
  ['SQLITE_CORRUPT', true],
  ['SQLITE_FULL', false],
  ['SQLITE_BUSY', false],
  ['ECONNRESET', false],
])('C9: %s is fatal: %s', (code, fatal) => {
  expect(translate(driverError(code))).toMatchObject({ fatal });
});

test('O9: the statement and its parameters stay behind', async () => {
  const failed = new QueryFailedError(
    'INSERT INTO task_requests',
    ['a secret prompt'],
    driverError('23505', 'duplicate key'),
  );
  const translated = await translating(() => Promise.reject(failed)).catch((error: unknown) => error);
  expect(translated).toBeInstanceOf(ConstraintViolation);
  expect(JSON.stringify(translated, Object.getOwnPropertyNames(translated))).not.toContain('secret');
  const other = new QueryFailedError('SELECT 1', ['a secret prompt'], driverError('42601', 'syntax error'));
  expect(translate(other)).toEqual(new DatabaseError('syntax error', '42601'));
});

test('C1: what no driver threw stays what it is', () => {
  for (const error of [new InvalidCursor(), new TypeError('a bug'), new DatabaseBusy('twice'), 'text', null]) {
    expect(translate(error)).toBe(error);
  }
});
