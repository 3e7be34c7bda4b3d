/**
 * Delivery: the in-process rendezvous between an attempt and the client waiting for its answer.
 * The delivery owns the "client has been given something" boundary (spec C7, D6, K).
 *
 * An attempt writes; the API's HTTP handler is the sink. No sink: nobody waits here (a background
 * task, or a run that took over after a crash) and the answer is only stored.
 */
export interface TaskFailure {
  /** A code of the error catalogue (`api/errors.ts`). */
  readonly code: string;
  /** For a person; redacted. */
  readonly message: string;
  readonly param?: string | null;
  /** The status a backend gave, where it is passed through. */
  readonly status?: number;
  /** The backend's own error code and type, where its refusal is passed through (T30). */
  readonly upstream?: { readonly code: string | null; readonly type: string | null };
  readonly retryAfterSec?: number;
  /** Our own tries are spent: the client is told not to repeat it (B4). */
  readonly triesSpent?: boolean;
}

/** The HTTP side of a delivery. Calls come in order; after `end` or `fail` nothing more comes. */
export interface DeliverySink {
  /** First call of all: the request is past the ready queue's door, or the answer of an earlier one is followed. */
  admitted?(): void;
  /** When an answer begins: which model and plugin serve it. */
  begin(servedBy: { readonly modelId: string; readonly pluginId: string }): void;
  /** One whole SSE event of the answer; resolves when the client can take more. */
  event(data: string, event: string | null): Promise<void>;
  /** A stream's regular end (the sink writes `[DONE]` where the protocol has it). */
  endStream(): void;
  /** A plain JSON answer. */
  json(text: string): void;
  fail(failure: TaskFailure): void;
  /** Resolves when the events so far are kept, for a sink that keeps them. */
  settled?(): Promise<void>;
}

interface PastEvent {
  readonly data: string;
  readonly event: string | null;
}

type Ending =
  | { readonly kind: 'stream' }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'failure'; readonly failure: TaskFailure };

/** Events kept so that a second client of the same idempotent request can join in (A9). */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Fans one answer out to the clients waiting for it: one as a rule, several when they sent the same
 * idempotency key. The slowest of them sets the pace, so nothing piles up.
 */
export class Delivery {
  private readonly sinks = new Set<DeliverySink>();
  private kept: PastEvent[] | null;
  private keptBytes = 0;
  private servedBy: { readonly modelId: string; readonly pluginId: string } | null = null;
  private ending: Ending | null = null;
  private isAdmitted = false;
  private hasGiven = false;
  private hasStreamed = false;

  /** @param keepEvents true when later clients may join (the request has an idempotency key) */
  constructor(keepEvents: boolean) {
    this.kept = keepEvents ? [] : null;
  }

  /** True once a client has been given part of the answer: no other attempt may write after that. */
  get given(): boolean {
    return this.hasGiven;
  }

  /** True once events were written, whether or not anybody waited for them. */
  get streaming(): boolean {
    return this.hasStreamed;
  }

  /** True while somebody waits for the answer here. */
  get awaited(): boolean {
    return this.sinks.size > 0;
  }

  get ended(): boolean {
    return this.ending !== null;
  }

  /** False: the stream has gone too far to join; wait for the stored answer instead. */
  attach(sink: DeliverySink): boolean {
    if (this.hasGiven && this.kept === null && this.ending?.kind !== 'json') return false;
    this.sinks.add(sink);
    if (this.isAdmitted) sink.admitted?.();
    if (this.servedBy && (this.hasGiven || this.ending)) sink.begin(this.servedBy);
    for (const past of this.kept ?? []) void sink.event(past.data, past.event);
    if (this.ending) conclude(sink, this.ending);
    return true;
  }

  /** Returns how many are still waiting. */
  detach(sink: DeliverySink): number {
    this.sinks.delete(sink);
    return this.sinks.size;
  }

  admitted(): void {
    this.isAdmitted = true;
    for (const sink of this.sinks) sink.admitted?.();
  }

  begin(servedBy: { readonly modelId: string; readonly pluginId: string }): void {
    this.servedBy = servedBy;
    for (const sink of this.sinks) sink.begin(servedBy);
  }

  /** Resolves when every client can take more. */
  async event(data: string, event: string | null): Promise<void> {
    this.hasStreamed = true;
    this.hasGiven = this.hasGiven || this.sinks.size > 0;
    this.keep(data, event);
    if (this.sinks.size === 1) {
      for (const sink of this.sinks) await sink.event(data, event);
    } else {
      await Promise.all([...this.sinks].map((sink) => sink.event(data, event)));
    }
  }

  /** Resolves when whoever keeps the events has kept those so far. */
  async settled(): Promise<void> {
    for (const sink of this.sinks) await sink.settled?.();
  }

  endStream(): void {
    this.conclude({ kind: 'stream' });
  }

  json(text: string): void {
    this.hasGiven = this.hasGiven || this.sinks.size > 0;
    this.conclude({ kind: 'json', text });
  }

  /**
   * Lets each waiting client follow the stored answer of the run that took over (C1). A client that
   * was given part of this run's answer can't: it is told in-band.
   */
  follow(deliver: (sink: DeliverySink) => Promise<void>): void {
    if (this.ending) return;
    if (this.hasGiven)
      return this.fail({
        code: 'lease_lost',
        message: 'The worker lost its lease while answering; fetch the answer by its task id.',
      });
    for (const sink of this.sinks) void deliver(sink);
    this.ending = { kind: 'stream' };
  }

  /** Idempotent: only the first ending reaches the clients. */
  fail(failure: TaskFailure): void {
    this.conclude({ kind: 'failure', failure });
  }

  private keep(data: string, event: string | null): void {
    if (!this.kept) return;
    this.keptBytes += data.length;
    if (this.keptBytes > MAX_KEPT_BYTES) this.kept = null;
    else this.kept.push({ data, event });
  }

  private conclude(ending: Ending): void {
    if (this.ending) return;
    this.ending = ending;
    for (const sink of this.sinks) conclude(sink, ending);
  }
}

function conclude(sink: DeliverySink, ending: Ending): void {
  if (ending.kind === 'stream') sink.endStream();
  else if (ending.kind === 'json') sink.json(ending.text);
  else sink.fail(ending.failure);
}
