/**
 * Brings what this process saw of one plugin to its breaker workflow: everything that is waiting goes
 * in one update, one update at a time, again and again until it is confirmed (spec E).
 */
import type { BreakerJournal, NumberedEvent } from '../workflows/rules/breaker-journal';
import type { CircuitReplica } from './circuit-replica';

/** Sends a batch to the workflow; rejects when there is no answer in time. */
export type SendReport = (pluginId: string, events: readonly NumberedEvent[]) => Promise<BreakerJournal>;

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

export class CircuitChannel {
  private sending = false;
  private retry: NodeJS.Timeout | null = null;
  private delayMs = FIRST_RETRY_MS;
  private readonly waiters = new Map<NumberedEvent, () => void>();

  constructor(
    private readonly pluginId: string,
    private readonly replica: CircuitReplica,
    private readonly send: SendReport,
    private readonly onAnswer: () => void,
  ) {}

  /** Resolves when the event is confirmed, or after `limitMs`: the local decision stands until then. */
  confirmed(event: NumberedEvent, limitMs: number): Promise<void> {
    void this.flush();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.waiters.get(event)?.(), limitMs);
      this.waiters.set(event, () => {
        clearTimeout(timer);
        this.waiters.delete(event);
        resolve();
      });
    });
  }

  /** Takes the workflow's word, whichever way it came. */
  adopt(journal: BreakerJournal): void {
    this.replica.adopt(journal);
    for (const [event, answered] of [...this.waiters]) if (this.replica.isConfirmed(event)) answered();
    this.onAnswer();
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    if (this.sending || this.replica.unconfirmed.length === 0) return;
    this.sending = true;
    if (this.retry) clearTimeout(this.retry);
    this.retry = null;
    try {
      this.adopt(await this.send(this.pluginId, [...this.replica.unconfirmed]));
      this.delayMs = FIRST_RETRY_MS;
    } catch {
      // Down or slow: the rule has decided here meanwhile, and whoever waits is let go by their limit.
      this.retry = setTimeout(() => void this.flush(), this.delayMs);
      this.retry.unref();
      this.delayMs = Math.min(LAST_RETRY_MS, this.delayMs * 2);
      return;
    } finally {
      this.sending = false;
    }
    await this.flush();
  }

  stop(): void {
    if (this.retry) clearTimeout(this.retry);
    for (const answered of [...this.waiters.values()]) answered();
  }
}
