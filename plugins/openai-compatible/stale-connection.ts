import { errorCode } from './failures';
import type { SentOn } from './sent-requests';

/** A close that was under way when we sent arrives within a round trip; a crash of busy work takes longer. */
const RACE_MS = 1000;

const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * True when a request provably met a kept connection that its peer was closing (fault D21): sent on
 * a used connection, closed at once, and not one byte of an answer. Only then may it be sent again
 * without anyone deciding so; everything else is the retry rule's.
 */
export function metStaleConnection(error: unknown, sent: SentOn | null, now: number = performance.now()): boolean {
  if (sent === null || !sent.reused) return false;
  return CLOSED.has(errorCode(error)) && sent.socket.bytesRead === sent.bytesReadBefore && now - sent.at < RACE_MS;
}
