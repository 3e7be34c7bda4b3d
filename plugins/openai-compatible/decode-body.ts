import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { UpstreamFailure } from '../adapter';

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The body in the clear. We ask for `identity`; proxies in between compress all the same. It is
 * inflated as it is read, so a reader's cap bounds what a bomb can cost (fault D16).
 */
export function decodeBody(body: Readable, contentEncoding: string | undefined): Readable {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return body;
  const decoder = DECODERS[encoding];
  if (decoder === undefined) {
    body.destroy();
    throw new UpstreamFailure('malformed', 'The backend compressed its answer in a way that was not asked for.');
  }
  // Destroys the one when the other fails or is left; the reader sees the error.
  return pipeline(body, decoder(), () => undefined);
}
