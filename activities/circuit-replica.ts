/**
 * One circuit as this process knows it: the workflow's last answer, and on top of it what this process
 * has seen since and the workflow has not confirmed yet. The same rule makes both, so a process that
 * can't reach the engine decides as the engine would, and what it saw is counted once when it can.
 */
import { nextChangeAt, passTime, retryAt, type BreakerEvent, type BreakerSettings } from '../workflows/rules/breaker';
import { EMPTY_JOURNAL, take, type BreakerJournal, type NumberedEvent } from '../workflows/rules/breaker-journal';
import type { CircuitView } from './circuits';

export class CircuitReplica {
  private confirmed: BreakerJournal = EMPTY_JOURNAL;
  private folded: BreakerJournal = EMPTY_JOURNAL;
  private pending: NumberedEvent[] = [];
  private numbers = 0;

  constructor(
    private readonly source: string,
    private readonly settings: BreakerSettings,
  ) {}

  /** What the workflow has not confirmed, oldest first. */
  get unconfirmed(): readonly NumberedEvent[] {
    return this.pending;
  }

  /** The workflow's last answer. */
  get answer(): BreakerJournal {
    return this.confirmed;
  }

  /** What the workflow would say if it had seen all that this process has. */
  journal(now: number): BreakerJournal {
    const { state } = passTime(this.folded.state, now, this.settings);
    return { ...this.folded, state };
  }

  view(now: number): CircuitView {
    const { state } = this.journal(now);
    return {
      state: state.phase,
      failureCount: state.failures.length,
      lastFailureAt: state.lastFailureAt,
      retryAt: retryAt(state, this.settings),
      probing: state.probe !== null,
    };
  }

  /** When time alone changes the view next, or null. */
  nextChangeAt(now: number): number | null {
    return nextChangeAt(this.journal(now).state, this.settings);
  }

  note(event: BreakerEvent): NumberedEvent {
    this.numbers += 1;
    const numbered = { number: this.numbers, event };
    this.pending.push(numbered);
    this.folded = take(this.folded, this.source, [numbered], this.settings).journal;
    return numbered;
  }

  isConfirmed({ number }: NumberedEvent): boolean {
    return number <= (this.confirmed.applied[this.source] ?? 0);
  }

  /** An answer of the workflow; one that is older than what is known changes nothing. */
  adopt(journal: BreakerJournal): void {
    if (journal.revision < this.confirmed.revision) return;
    this.confirmed = journal;
    this.pending = this.pending.filter((event) => !this.isConfirmed(event));
    this.folded = take(journal, this.source, this.pending, this.settings).journal;
  }
}
