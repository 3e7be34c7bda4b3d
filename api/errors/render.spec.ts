import {
  ConstraintViolation,
  DatabaseBusy,
  DatabaseFull,
  DatabaseUnavailable,
  InvalidCursor,
} from '../../store/errors';
import { AppError } from './app-error';
import { CATALOGUE, type ErrorCode, entryOf } from './catalogue';
import { asAppError } from './from-thrown';
import { errorHeaders, fromTaskFailure, managementEnvelope, openAiEnvelope, renderStreamError } from './render';

const CODES = Object.keys(CATALOGUE) as ErrorCode[];

describe('T84: the error envelope', () => {
  test.each(CODES)('T84: %s has all four keys with the right types', (code) => {
    const { error } = openAiEnvelope(new AppError(code));
    expect(Object.keys(error).filter((key) => key !== 'transient')).toEqual(['message', 'type', 'param', 'code']);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^[A-Z].*\.$/),
      type: expect.any(String),
      param: null,
      code,
    });
    expect(JSON.stringify(error)).not.toContain('None');
  });

  test('T84: "None" of a backend never reaches a client', () => {
    const error = fromTaskFailure({
      code: 'upstream_rejected',
      message: 'no',
      status: 400,
      param: 'None',
      upstream: { code: 'None', type: 'None' },
    });
    expect(openAiEnvelope(error).error).toEqual({
      message: 'no',
      type: 'invalid_request_error',
      param: null,
      code: 'upstream_rejected',
    });
  });

  test('A4: queue_full is transient, with a short wait and the advice to retry', () => {
    const error = new AppError('queue_full');
    expect(error.status).toBe(503);
    expect(openAiEnvelope(error).error.transient).toBe(true);
    expect(errorHeaders(error)).toEqual({ 'retry-after': '2', 'x-should-retry': 'true' });
  });

  test('T13: a stream error is one JSON text in the same envelope', () => {
    const text = renderStreamError({ code: 'upstream_stream_interrupted', message: 'It broke off.' });
    expect(JSON.parse(text)).toEqual({
      error: { message: 'It broke off.', type: 'upstream_error', param: null, code: 'upstream_stream_interrupted' },
    });
    expect(text).not.toContain('\n');
  });

  test('the management envelope has a hint and the request id', () => {
    expect(managementEnvelope(new AppError('csrf_failed', { param: 'x' }), 'req_9').error).toEqual({
      code: 'csrf_failed',
      message: entryOf('csrf_failed').message,
      hint: entryOf('csrf_failed').hint,
      param: 'x',
      request_id: 'req_9',
    });
  });
});

describe('T85: statuses and retry headers', () => {
  test.each([
    [400, 400, 'invalid_request_error'],
    [404, 404, 'invalid_request_error'],
    [422, 422, 'invalid_request_error'],
    [429, 429, 'rate_limit_error'],
    [500, 500, 'upstream_error'],
    [503, 503, 'upstream_error'],
    [401, 502, 'upstream_error'],
    [403, 502, 'upstream_error'],
    [200, 502, 'upstream_error'],
    [999, 502, 'upstream_error'],
  ])('T85, B3: a backend that refuses with %i is passed on as %i %s', (given, status, type) => {
    const error = fromTaskFailure({ code: 'upstream_rejected', message: 'x.', status: given });
    expect(error.status).toBe(status);
    expect(openAiEnvelope(error).error.type).toBe(type);
    expect(errorHeaders(error)['x-should-retry']).toBe('false');
  });

  test("T30: the backend's own code and type are kept", () => {
    const upstream = { code: 'context_length_exceeded', type: 'invalid_request_error' };
    const error = fromTaskFailure({ code: 'upstream_rejected', message: 'x.', status: 400, upstream });
    expect(openAiEnvelope(error).error).toMatchObject(upstream);
  });

  test.each([
    [0.2, '1', 'true'],
    [59.1, '60', 'true'],
    [60.5, '61', 'false'],
    [1440, '1440', 'false'],
  ])('K: circuit_open with %f s left says Retry-After %s, x-should-retry %s', (retryAfterSec, wait, retry) => {
    const headers = errorHeaders(new AppError('circuit_open', { retryAfterSec }));
    expect(headers).toEqual({ 'retry-after': wait, 'x-should-retry': retry });
  });

  test('B4: a spent budget passes Retry-After on and says not to retry', () => {
    const error = fromTaskFailure({ code: 'upstream_rate_limited', message: 'x.', retryAfterSec: 7 });
    expect(error.status).toBe(429);
    expect(errorHeaders(error)).toEqual({ 'retry-after': '7', 'x-should-retry': 'false' });
  });

  test('A2: insufficient_storage is 507 and not to be retried', () => {
    expect(new AppError('insufficient_storage').status).toBe(507);
    expect(errorHeaders(new AppError('insufficient_storage'))).toEqual({ 'x-should-retry': 'false' });
  });

  test('401 tells how to sign in, 405 which methods exist', () => {
    expect(errorHeaders(new AppError('invalid_api_key'))).toEqual({ 'www-authenticate': 'Bearer' });
    expect(errorHeaders(new AppError('method_not_allowed', { allow: ['GET', 'HEAD'] }))).toEqual({
      allow: 'GET, HEAD',
    });
  });

  test('every transient code that advises a retry says when', () => {
    const advised = CODES.filter((code) => entryOf(code).transient && entryOf(code).shouldRetry === true);
    expect(advised).toContain('queue_full');
    for (const code of advised) expect(entryOf(code).retryAfterSec).toBeGreaterThan(0);
  });
});

describe('S15: what a client learns of an unexpected failure', () => {
  test('S15: nothing of the exception', () => {
    const error = asAppError(new Error('SELECT secret FROM /var/lib'));
    expect(error.code).toBe('internal_error');
    expect(JSON.stringify(openAiEnvelope(error))).not.toContain('secret');
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    [new DatabaseBusy('locked'), 'database_busy'],
    [new DatabaseUnavailable('gone'), 'database_busy'],
    [new DatabaseFull('full'), 'insufficient_storage'],
    [new ConstraintViolation('unique'), 'internal_error'],
    [new InvalidCursor(), 'invalid_cursor'],
    ['a string', 'internal_error'],
  ])('T95: %p is %s to the client', (thrown, code) => {
    expect(asAppError(thrown).code).toBe(code);
  });

  test('a failure with a code nobody listed keeps its sentence as an internal error', () => {
    expect(fromTaskFailure({ code: 'constructor', message: 'Odd.' })).toMatchObject({
      code: 'internal_error',
      message: 'Odd.',
    });
  });
});
