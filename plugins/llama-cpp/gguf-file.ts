import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';

const MAGIC = 'GGUF';

/** Guards against the HTML page, the pointer file and the half download that are named like a model. */
export async function isGguf(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
      return bytesRead === MAGIC.length && buffer.toString('latin1') === MAGIC;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
