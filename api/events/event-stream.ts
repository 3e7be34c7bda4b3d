/**
 * One client's stream of server-sent events: one write an event, comments in silence, and an end for
 * a reader too slow to keep up, so that what waits for it stays bounded.
 */
import { Readable } from 'node:stream';

const HEARTBEAT_MS = 15_000;
const MAX_BUFFERED_BYTES = 1024 * 1024;

export class EventStream extends Readable {
  private readonly heartbeat: NodeJS.Timeout;
  private over = false;

  constructor(
    private readonly onClose: () => void,
    heartbeatMs = HEARTBEAT_MS,
  ) {
    super();
    this.heartbeat = setInterval(() => this.give(': keep-alive\n'), heartbeatMs);
  }

  /** `event:` is its type, `data:` the whole. */
  send<T extends { readonly type: string }>(event: T): void {
    this.heartbeat.refresh();
    this.give(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** The regular end; the client may reconnect. */
  finish(): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.heartbeat);
    this.push(null);
  }

  override _read(): void {
    // Events come when they happen, not when they are asked for.
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.over = true;
    clearInterval(this.heartbeat);
    this.onClose();
    done(error);
  }

  private give(text: string): void {
    if (this.over) return;
    if (this.readableLength > MAX_BUFFERED_BYTES) this.destroy();
    else this.push(text);
  }
}
