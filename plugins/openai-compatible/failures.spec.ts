import { lookup } from 'node:dns';
import { UpstreamFailure } from '../adapter';
import { asUpstreamFailure } from './failures';
import { ForbiddenAddressError, guardedLookup } from './forbidden-address';
import type { SentOn } from './sent-requests';
import { metStaleConnection } from './stale-connection';

const error = (code: string): Error => Object.assign(new Error('raw'), { code });

describe('what the transport threw', () => {
  test.each([
    ['ECONNREFUSED', 'transport'],
    ['ECONNRESET', 'transport'],
    ['ENOTFOUND', 'transport'],
    ['EAI_AGAIN', 'transport'],
    ['UND_ERR_SOCKET', 'transport'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'configuration'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'configuration'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'configuration'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'configuration'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'configuration'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'configuration'],
    ['HPE_INVALID_CHUNK_SIZE', 'malformed'],
    ['Z_DATA_ERROR', 'malformed'],
  ])('D1, D14, D15: %s is a %s failure that names its cause', (code, kind) => {
    const failure = asUpstreamFailure(error(code));
    expect(failure.kind).toBe(kind);
    if (kind !== 'timeout') expect(failure.message).toContain(code);
  });

  test('what is no error at all is still a failure', () => {
    for (const thrown of [undefined, null, 'x', new Error('no code')]) {
      expect(asUpstreamFailure(thrown).kind).toBe('transport');
    }
    const failure = new UpstreamFailure('aborted', 'x');
    expect(asUpstreamFailure(failure)).toBe(failure);
  });
});

describe('a stale connection', () => {
  const sent = { socket: { bytesRead: 10 }, reused: true, bytesReadBefore: 10, at: 1000 } as SentOn;

  test.each([
    ['closed at once on a used connection', error('UND_ERR_SOCKET'), sent, 1100, true],
    ['reset at once on a used connection', error('ECONNRESET'), sent, 1100, true],
    ['a fresh connection', error('ECONNRESET'), { ...sent, reused: false }, 1100, false],
    ['an answer begun', error('ECONNRESET'), { ...sent, bytesReadBefore: 9 }, 1100, false],
    ['after working on it for a while', error('ECONNRESET'), sent, 2500, false],
    ['another error', error('HPE_INVALID_CONSTANT'), sent, 1100, false],
    ['never sent', error('ECONNRESET'), null, 1100, false],
  ])('D21: %s', (_name, cause, on, now, expected) => {
    expect(metStaleConnection(cause, on, now)).toBe(expected);
  });
});

jest.mock('node:dns', () => ({ lookup: jest.fn() }));

describe('name resolution', () => {
  const resolve = (found: unknown): Promise<unknown> => {
    jest
      .mocked(lookup)
      .mockImplementation(((_name: string, _options: object, done: (...args: unknown[]) => void) =>
        done(null, found, 4)) as never);
    return new Promise((settle) => guardedLookup('x', {}, (failed, address) => settle(failed ?? address)));
  };

  test('S2: the address that is connected to is the one that was vetted', async () => {
    expect(await resolve('10.0.0.1')).toBe('10.0.0.1');
    expect(await resolve('169.254.169.254')).toBeInstanceOf(ForbiddenAddressError);
    const mixed = [
      { address: '10.0.0.1', family: 4 },
      { address: '::ffff:169.254.169.254', family: 6 },
    ];
    expect(await resolve(mixed)).toBeInstanceOf(ForbiddenAddressError);
  });

  test('a forbidden address is a configuration failure', () => {
    expect(asUpstreamFailure(new ForbiddenAddressError('169.254.1.1')).kind).toBe('configuration');
  });
});
