/**
 * Reads a request body, decompressed, up to a cap (S36, S37, T88). The cap counts what comes out of
 * the decompressor, so a bomb costs no more memory than an honest body. When it refuses, the request
 * is left readable: the error boundary still answers on its socket.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '../errors/app-error';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** @param inspect sees each decoded chunk; what it throws ends the reading */
export async function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  maxBytes: number,
  inspect: (chunk: Buffer) => void,
): Promise<Buffer> {
  const decoder = decoderFor(req.headers['content-encoding']);
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // The client waits for this before it sends the body; refusals above spare it the upload.
  if (req.headers.expect !== undefined) res.writeContinue();
  const source = decoder === null ? req : req.pipe(decoder);
  try {
    return await collect(req, source, maxBytes, inspect);
  } finally {
    if (decoder !== null) {
      req.unpipe(decoder);
      decoder.destroy();
    }
  }
}

function decoderFor(encoding: string | undefined): Transform | null {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return null;
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (create) return create();
  throw new AppError('unsupported_media_type', {
    param: 'Content-Encoding',
    message: 'This Content-Encoding is not supported: use one of gzip, br, deflate or identity.',
  });
}

function collect(
  req: IncomingMessage,
  source: Readable,
  maxBytes: number,
  inspect: (chunk: Buffer) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) return stop(tooLarge(maxBytes));
      try {
        inspect(chunk);
        chunks.push(chunk);
      } catch (fault) {
        stop(fault as AppError);
      }
    };
    const onEnd = (): void => {
      release();
      resolve(Buffer.concat(chunks, size));
    };
    const onSourceError = (cause: Error): void =>
      stop(source === req ? left(cause) : new AppError('invalid_body_encoding'));
    const onClose = (): void => void (req.complete || stop(left(null)));
    function stop(fault: Error): void {
      release();
      source.pause();
      reject(fault);
    }
    function release(): void {
      source.off('data', onData).off('end', onEnd);
      req.off('close', onClose);
    }
    // The error listeners stay: a broken socket can report again after the answer.
    source.on('data', onData).on('end', onEnd).on('error', onSourceError);
    if (source !== req) req.on('error', () => stop(left(null)));
    req.on('close', onClose);
  });
}

function left(cause: Error | null): AppError {
  return new AppError('client_disconnected', { cause: cause ?? undefined });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('request_too_large', {
    message: `The request body is larger than the ${maxBytes} bytes this server accepts, counted after decompression.`,
  });
}
