/** Limits of the HTTP server itself, and its answers to what never becomes a request (S9, S40). */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from './errors/app-error';
import type { ErrorCode } from './errors/catalogue';
import { errorHeaders, openAiEnvelope } from './errors/render';

export const serverOptions: ServerOptions = {
  /** Above any credential worth reading, so that a 100 KB one still gets its 401 (S9). */
  maxHeaderSize: 128 * 1024,
  insecureHTTPParser: false,
  /** Above the idle time of the usual proxies, so that they never reuse a socket we just closed. */
  keepAliveTimeout: 75_000,
  headersTimeout: 60_000,
  /** For receiving a request, not for answering it. */
  requestTimeout: 300_000,
  connectionsCheckingInterval: 10_000,
};

export function configureServer(server: Server): Server {
  // The body reader says "continue" itself, after the checks that need no body.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => server.emit('request', req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => refuse(error, socket));
  return server;
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = new AppError(codeFor(error.code));
  const body = JSON.stringify(openAiEnvelope(refusal));
  const headers = {
    ...errorHeaders(refusal),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': `req_${randomUUID()}`,
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${head.join('')}\r\n${body}`);
}

function codeFor(code: string | undefined): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'request_header_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
}
