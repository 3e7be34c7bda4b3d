/**
 * Closing a connection on a client that is still sending makes its kernel drop our answer. So the
 * answer goes out whole, then what comes is thrown away for a bounded while (S37, T87).
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const IDLE_MS = 500;
const LONGEST_MS = 5_000;

export function answerThenDrain(body: string, req: IncomingMessage): Readable {
  async function* parts(): AsyncGenerator<Buffer> {
    yield Buffer.from(body);
    await drained(req);
  }
  return Readable.from(parts(), { objectMode: false });
}

/** Resolves at the request's end, after a silence, or when it has taken too long. */
function drained(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const idle = setTimeout(done, IDLE_MS);
    const longest = setTimeout(done, LONGEST_MS);
    const restart = (): void => void idle.refresh();
    function done(): void {
      clearTimeout(idle);
      clearTimeout(longest);
      req.off('data', restart).off('end', done).off('close', done);
      resolve();
    }
    req.on('data', restart).on('end', done).on('close', done).on('error', done);
    req.resume();
  });
}
