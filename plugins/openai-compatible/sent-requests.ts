import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DiagnosticsChannel } from 'undici';

/** What is known of a request once its header goes out. */
export interface SentOn {
  readonly socket: Socket;
  /** Another request went over this connection before. */
  readonly reused: boolean;
  readonly bytesReadBefore: number;
  /** `performance.now()`. */
  readonly at: number;
}

type OnSent = (sent: SentOn) => void;

const waiting = new WeakMap<object, OnSent>();
const used = new WeakSet<Socket>();
let subscribed = false;

/**
 * Tells when the request with this very body object leaves, and on which connection. undici tells
 * it on a diagnostics channel only; the body's identity is what both sides know.
 */
export function whenSent(body: Buffer, onSent: OnSent): void {
  if (!subscribed) {
    subscribe('undici:client:sendHeaders', onSendHeaders);
    subscribed = true;
  }
  waiting.set(body, onSent);
}

function onSendHeaders(message: unknown): void {
  const { request, socket } = message as DiagnosticsChannel.ClientSendHeadersMessage & { request: { body?: unknown } };
  const reused = used.has(socket);
  used.add(socket);
  const { body } = request;
  if (typeof body !== 'object' || body === null) return;
  waiting.get(body)?.({ socket, reused, bytesReadBefore: socket.bytesRead, at: performance.now() });
}
