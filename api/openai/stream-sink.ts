/**
 * The HTTP side of a streamed answer (spec K, contract 3): one write an event, keep-alive comments,
 * headers held back so that early failures keep their true status.
 */
import { Readable } from 'node:stream';
import type { DeliverySink, TaskFailure } from '../../activities/delivery';
import type { ServerEvent } from '../../workflows/rules/dialects/answer-stream';
import { KEEP_ALIVE_COMMENT, formatEvent } from '../../plugins/sse/write-event';
import { fromTaskFailure, openAiEnvelope } from '../errors/render';
import { chatVoice, type StreamVoice } from './stream-voice';

/** How long response headers wait for something to tell, counted from the ready queue's door (K). */
export const HEADER_HOLD_MS = 10_000;

export type StreamHead =
  | { readonly kind: 'open'; readonly servedBy: { readonly modelId: string; readonly pluginId: string } | null }
  | { readonly kind: 'failed'; readonly failure: TaskFailure };

export class StreamSink implements DeliverySink {
  /** Settled when the headers can go out. */
  readonly head: Promise<StreamHead>;
  readonly body: Readable;
  private resolveHead!: (head: StreamHead) => void;
  private open = false;
  private over = false;
  private servedBy: { readonly modelId: string; readonly pluginId: string } | null = null;
  private resume: (() => void) | null = null;
  private holdTimer: NodeJS.Timeout | null = null;
  private commentTimer: NodeJS.Timeout | null = null;

  constructor(
    private readonly keepAliveMs: number,
    private readonly holdMs = HEADER_HOLD_MS,
    private readonly voice: StreamVoice = chatVoice,
  ) {
    this.head = new Promise((resolve) => (this.resolveHead = resolve));
    this.body = new Readable({ read: () => this.drained(), destroy: (error, done) => this.destroyed(error, done) });
  }

  /** At the door headers are held as long as it takes, so that a full queue is told by its status (A4, K). */
  admitted(): void {
    if (this.open || this.over) return;
    this.holdTimer ??= setTimeout(() => {
      this.goOpen();
      this.push(KEEP_ALIVE_COMMENT);
    }, this.holdMs);
  }

  begin(servedBy: { readonly modelId: string; readonly pluginId: string }): void {
    this.servedBy = servedBy;
  }

  async event(data: string, event: string | null): Promise<void> {
    if (this.over) return;
    this.goOpen();
    this.voice.note(data);
    if (this.push(formatEvent(data, event))) return;
    await new Promise<void>((resolve) => (this.resume = resolve));
  }

  endStream(): void {
    if (this.over) return;
    this.goOpen();
    this.pushAll(this.voice.end());
    this.finish();
  }

  /** A backend that answered a stream request with a plain body: the client still gets a stream. */
  json(text: string): void {
    if (this.over) return;
    this.goOpen();
    this.push(formatEvent(text, null));
    this.endStream();
  }

  fail(failure: TaskFailure): void {
    if (this.over) return;
    if (this.open) {
      this.pushAll(this.voice.fail(openAiEnvelope(fromTaskFailure(failure)).error));
    } else {
      this.resolveHead({ kind: 'failed', failure });
    }
    this.finish();
  }

  /** For a request that never got as far as a response. */
  abandon(): void {
    this.finish();
  }

  private goOpen(): void {
    if (this.open || this.over) return;
    this.open = true;
    if (this.holdTimer) clearTimeout(this.holdTimer);
    this.resolveHead({ kind: 'open', servedBy: this.servedBy });
    this.commentTimer = setInterval(() => this.push(KEEP_ALIVE_COMMENT), this.keepAliveMs);
  }

  private pushAll(events: readonly ServerEvent[]): void {
    for (const { data, event } of events) this.push(formatEvent(data, event));
  }

  private push(text: string): boolean {
    if (this.over) return true;
    // Comments are only for silence: every write starts the wait anew.
    this.commentTimer?.refresh();
    return this.body.push(text);
  }

  private finish(): void {
    if (this.over) return;
    this.stop();
    this.body.push(null);
  }

  private stop(): void {
    this.over = true;
    if (this.holdTimer) clearTimeout(this.holdTimer);
    if (this.commentTimer) clearInterval(this.commentTimer);
    this.drained();
  }

  private drained(): void {
    const resume = this.resume;
    this.resume = null;
    resume?.();
  }

  private destroyed(error: Error | null, done: (error?: Error | null) => void): void {
    this.stop();
    done(error);
  }
}
