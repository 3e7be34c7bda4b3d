import { gzipSync } from 'node:zlib';

const MEMBER_BYTES = 16 * 1024 * 1024;

/** A gzip file of `bytes` zeros (about 1/1000 of it), made of repeated members so that it is cheap to build. */
export function gzipOfZeros(bytes: number): Buffer {
  const whole = Math.floor(bytes / MEMBER_BYTES);
  const member = whole > 0 ? gzipSync(Buffer.alloc(MEMBER_BYTES), { level: 9 }) : Buffer.alloc(0);
  const rest = gzipSync(Buffer.alloc(bytes % MEMBER_BYTES), { level: 9 });
  return Buffer.concat([...Array.from({ length: whole }, () => member), rest]);
}
