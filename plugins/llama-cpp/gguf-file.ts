import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** magic, u32 version, u64 tensors, u64 key-value pairs */
const HEADER_BYTES = 24;

/** The least one tensor's and one pair's description takes. */
const TENSOR_BYTES = 24;
const PAIR_BYTES = 13;

/**
 * What is wrong with a file's GGUF header; null when nothing is. Tells the HTML page and the cut-off
 * download from a model, and refuses counts that can't be true: the engine would read on and on
 * for them, in ever more memory (S7).
 */
export async function ggufFault(file: string): Promise<string | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return 'it cannot be read';
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { size } = await handle.stat();
    const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0).catch(() => ({ bytesRead: 0 }));
    if (bytesRead < HEADER_BYTES || header.toString('latin1', 0, 4) !== 'GGUF') return 'it is no GGUF file';
    const version = header.readUInt32LE(4);
    if (version < 2 || version > 3) return `its GGUF version is ${version}`;
    const tensors = header.readBigUInt64LE(8);
    const pairs = header.readBigUInt64LE(16);
    const described = tensors * BigInt(TENSOR_BYTES) + pairs * BigInt(PAIR_BYTES);
    return described > BigInt(size) ? 'its GGUF header promises more than the file holds' : null;
  } finally {
    await handle.close();
  }
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
