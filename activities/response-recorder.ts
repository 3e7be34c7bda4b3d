/**
 * Writes down the events of one background stream, in batches, as the run that makes them goes on
 * (spec K "Background streams"). Clients read what is written, never ahead of it, so every sequence
 * number a client has seen is known to belong to one run.
 *
 * Endings are not written: how a task ended is in its row, and the last events follow from that.
 */
import type { Store } from '../store/store';
import type { ServerEvent } from '../workflows/rules/dialects/answer-stream';
import type { DeliverySink } from './delivery';

/** Events that may wait to be written before the answer has to wait for the disk. */
const MAX_PENDING = 256;

export interface RecorderOptions {
  readonly store: Store;
  readonly taskId: string;
  /** The events that every run begins with, the first one numbered `first`. */
  readonly announce: (first: number) => readonly ServerEvent[];
  /** Something new can be read. */
  readonly onWritten: () => void;
}

interface Place {
  readonly attempt: number;
  /** Sequence number of the next event. */
  readonly next: number;
}

export class ResponseRecorder implements DeliverySink {
  private pending: ServerEvent[] = [];
  private writing: Promise<void> | null = null;
  private readonly opened: Promise<Place>;
  private place: Place | null = null;
  /** Why nothing more can be written; whoever gives or waits for the next event gets it. */
  private fault: Error | null = null;

  constructor(private readonly options: RecorderOptions) {
    this.opened = this.open();
    // Whoever needs it gets the failure; nobody may ever need it.
    this.opened.catch(() => undefined);
  }

  /** How many events the client has before the answer's own. */
  async eventsBefore(): Promise<number> {
    return (await this.opened).next;
  }

  begin(): void {
    // Which model serves it is in the task.
  }

  async event(data: string, event: string | null): Promise<void> {
    this.assertWritable();
    this.pending.push({ data, event });
    this.writing ??= this.write();
    if (this.pending.length >= MAX_PENDING) await this.settled();
  }

  async settled(): Promise<void> {
    while (this.writing) await this.writing;
    this.assertWritable();
  }

  private assertWritable(): void {
    if (this.fault !== null) throw this.fault;
  }

  endStream(): void {
    this.options.onWritten();
  }

  json(): void {
    this.options.onWritten();
  }

  fail(): void {
    this.options.onWritten();
  }

  /** A run before this one may have written events; if it only announced itself, this one goes on from there. */
  private async open(): Promise<Place> {
    const { store, taskId, announce, onWritten } = this.options;
    const last = await store.responses.lastAttempt(taskId);
    const first = last?.next ?? 0;
    const announcement = announce(first);
    if (last && last.next - last.first === announcement.length) {
      this.place = { attempt: last.attempt, next: first };
      return this.place;
    }
    const attempt = (last?.attempt ?? 0) + 1;
    await store.responses.append(taskId, { attempt, first, events: announcement.map(pair) });
    this.place = { attempt, next: first + announcement.length };
    onWritten();
    return this.place;
  }

  /** Never rejects: nobody may be waiting for it. */
  private async write(): Promise<void> {
    const { store, taskId, onWritten } = this.options;
    try {
      let place = this.place ?? (await this.opened);
      while (this.pending.length > 0) {
        const events = this.pending;
        this.pending = [];
        await store.responses.append(taskId, { attempt: place.attempt, first: place.next, events: events.map(pair) });
        place = { ...place, next: place.next + events.length };
        this.place = place;
        onWritten();
      }
    } catch (error) {
      this.fault = error instanceof Error ? error : new Error(String(error));
      this.pending = [];
    } finally {
      this.writing = null;
    }
  }
}

function pair({ event, data }: ServerEvent): readonly [string | null, string] {
  return [event, data];
}
