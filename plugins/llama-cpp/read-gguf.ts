import { open } from 'node:fs/promises';
import { HeaderIncomplete, HeaderInvalid, parseGguf, type GgufMetadata } from './gguf-metadata';

const FIRST_READ_BYTES = 1024 * 1024;
/** No header known is a tenth of this; the vocabulary is the most of it. */
const MOST_READ_BYTES = 128 * 1024 * 1024;

/** The metadata, or what is wrong with the header. */
export async function readGguf(file: string): Promise<GgufMetadata | { readonly fault: string }> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return { fault: 'it cannot be read' };
  try {
    const { size } = await handle.stat();
    for (let bytes = FIRST_READ_BYTES; ; bytes *= 4) {
      const start = Buffer.alloc(Math.min(bytes, size));
      const { bytesRead } = await handle.read(start, 0, start.length, 0);
      try {
        return parseGguf(start.subarray(0, bytesRead));
      } catch (error) {
        if (error instanceof HeaderInvalid) return { fault: error.message };
        if (!(error instanceof HeaderIncomplete)) throw error;
        if (bytes >= size) return { fault: 'its GGUF header promises more than the file holds' };
        if (bytes >= MOST_READ_BYTES) return { fault: 'its GGUF header is too long' };
      }
    }
  } finally {
    await handle.close();
  }
}
