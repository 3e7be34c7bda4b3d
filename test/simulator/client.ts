/** A client of the simulated world: what it was given, and how its call ended. */
import type { DeliverySink, TaskFailure } from '../../activities/delivery';
import { attemptsIn } from './backend';
import type { RequestScenario } from './scenario';

export type ClientOutcome =
  | { readonly kind: 'answer' }
  | { readonly kind: 'stream' }
  | { readonly kind: 'failed' | 'refused'; readonly code: string }
  /** Its process went, or it went itself. */
  | { readonly kind: 'cut' | 'left' };

export class SimulatedClient implements DeliverySink {
  taskId: string | null = null;
  outcome: ClientOutcome | null = null;
  /** The attempts whose words it was given. */
  readonly heard = new Set<number>();
  begun = false;

  constructor(
    readonly request: RequestScenario,
    readonly incarnation: string,
    private readonly story: { broken(what: string): void; told(what: string): void },
  ) {}

  begin(): void {
    this.begun = true;
  }

  event(data: string): Promise<void> {
    this.listen('an event', data);
    return Promise.resolve();
  }

  json(text: string): void {
    this.listen('an answer', text);
    this.end({ kind: 'answer' });
  }

  endStream(): void {
    this.end({ kind: 'stream' });
  }

  fail({ code }: TaskFailure): void {
    this.end({ kind: 'failed', code });
  }

  refused(code: string): void {
    this.end({ kind: 'refused', code });
  }

  /** The connection is gone: nothing that is written now arrives. */
  gone(kind: 'cut' | 'left'): void {
    this.outcome ??= { kind };
  }

  private listen(what: string, text: string): void {
    if (this.isGone) return;
    if (this.outcome) this.story.broken(`${what} after the end of its call`);
    for (const attempt of attemptsIn(text)) this.heard.add(attempt);
    if (this.heard.size > 1) this.story.broken(`the words of attempts ${[...this.heard].join(' and ')} in one answer`);
  }

  private end(outcome: ClientOutcome): void {
    if (this.isGone) return;
    if (this.outcome) this.story.broken(`${outcome.kind} after ${this.outcome.kind}`);
    this.outcome = outcome;
    this.story.told('code' in outcome ? outcome.code : outcome.kind);
  }

  private get isGone(): boolean {
    return this.outcome?.kind === 'cut' || this.outcome?.kind === 'left';
  }
}
