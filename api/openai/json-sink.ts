/** The HTTP side of a plain answer: one promise for the whole of it. */
import type { DeliverySink, TaskFailure } from '../../activities/delivery';

export type JsonOutcome =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly servedBy: { readonly modelId: string; readonly pluginId: string } | null;
    }
  | { readonly kind: 'failed'; readonly failure: TaskFailure };

export class JsonSink implements DeliverySink {
  readonly outcome: Promise<JsonOutcome>;
  private resolve!: (outcome: JsonOutcome) => void;
  private servedBy: { readonly modelId: string; readonly pluginId: string } | null = null;

  constructor() {
    this.outcome = new Promise((resolve) => (this.resolve = resolve));
  }

  begin(servedBy: { readonly modelId: string; readonly pluginId: string }): void {
    this.servedBy = servedBy;
  }

  event(): Promise<void> {
    return Promise.reject(new Error('a plain answer has no events'));
  }

  endStream(): void {
    throw new Error('a plain answer has no stream to end');
  }

  json(text: string): void {
    this.resolve({ kind: 'answer', text, servedBy: this.servedBy });
  }

  fail(failure: TaskFailure): void {
    this.resolve({ kind: 'failed', failure });
  }
}
