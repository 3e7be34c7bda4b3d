import { UpstreamFailure, type FailureKind } from '../adapter';

/** No retry mends these: a certificate, a protocol, an address (fault D15). */
const CONFIGURATION: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_REJECTED: 'its certificate was rejected',
  CERT_UNTRUSTED: 'its certificate is not trusted',
  CERT_SIGNATURE_FAILURE: 'its certificate has a bad signature',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; add it to NODE_EXTRA_CA_CERTS to trust it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed; add its root to NODE_EXTRA_CA_CERTS to trust it',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of its certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified; does it send its intermediate certificates?',
  INVALID_CA: 'its certificate authority is invalid',
  INVALID_PURPOSE: 'its certificate is not for servers',
  HOSTNAME_MISMATCH: 'its certificate is for another host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on that port; is it http:// rather than https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS on that port; is it http:// rather than https://?',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'its TLS version is too old',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'its TLS version is too old',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'it refused the TLS handshake',
  SOAI_FORBIDDEN_ADDRESS: 'its address is a link-local or metadata address',
  UND_ERR_INVALID_ARG: 'a header or path made of its settings is invalid',
};

/** It answered, but not with HTTP or not as HTTP promised. */
const MALFORMED = /^(HPE_|Z_|ERR_BROTLI|ERR_ZSTD|ERR_ENCODING_INVALID|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/;

/** By shape, not by class: Node's own errors may come from another realm. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : 'unknown';
}

/** Some of the parser's errors have no code. */
function isParserError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'HTTPParserError';
}

/** What the transport threw, in the terms the rules decide on. */
export function asUpstreamFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = errorCode(error);
  const is = (kind: FailureKind, message: string): UpstreamFailure =>
    new UpstreamFailure(kind, message, { cause: error });
  const configuration = CONFIGURATION[code];
  if (configuration !== undefined) return is('configuration', `The backend can't be used: ${configuration} (${code}).`);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return is('timeout', 'The backend did not accept a connection in time.');
  if (MALFORMED.test(code) || isParserError(error))
    return is('malformed', `The backend's answer is not valid HTTP (${code}).`);
  return is('transport', `The connection to the backend failed (${code}).`);
}
