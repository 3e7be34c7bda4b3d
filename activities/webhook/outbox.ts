/**
 * Notices on their way: told one after the other, each tried again as the retry rule says. Nothing waits
 * for them, and a receiver that is away costs no more than a bounded list.
 */
import type { Logger } from 'pino';
import { classify, decideRetry, type FailureClass, type RetrySettings } from '../../workflows/rules/retry';
import type { Notice } from './notice';
import type { PostNotice } from './post-notice';

export interface OutboxDeps {
  readonly post: PostNotice;
  readonly retry: RetrySettings;
  readonly log: Logger;
  readonly random: () => number;
  /** Ends early, without throwing, when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MOST_WAITING = 100;

export class Outbox {
  private readonly waiting: Notice[] = [];
  private readonly ending = new AbortController();
  private working: Promise<void> | null = null;

  constructor(private readonly deps: OutboxDeps) {}

  put(notice: Notice): void {
    if (this.ending.signal.aborted) return;
    const { log } = this.deps;
    if (this.waiting.length >= MOST_WAITING) {
      log.error({ plugin: notice.plugin, event: notice.type }, 'a webhook notice was dropped: too many wait');
      return;
    }
    this.waiting.push(notice);
    this.working ??= this.work().finally(() => (this.working = null));
  }

  /** What waits is dropped: the states it tells of are in the database and shown at the next start. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    const { signal } = this.ending;
    for (let next = this.waiting.shift(); next && !signal.aborted; next = this.waiting.shift()) await this.tell(next);
  }

  private async tell(notice: Notice): Promise<void> {
    const { post, retry: settings, log, random, pause } = this.deps;
    const { signal } = this.ending;
    const about = { plugin: notice.plugin, event: notice.type };
    const earlier: FailureClass[] = [];
    for (;;) {
      const failure = await post(notice, signal);
      if (failure === null) return log.info(about, 'the webhook was told');
      const failureClass = classify(failure);
      earlier.push(failureClass);
      const decision = decideRetry({ failureClass, earlier, retryAfterMs: null, settings, random: random() });
      const why = { ...about, failure: failure.kind, status: failure.status, tries: earlier.length };
      if (!decision.retry || signal.aborted) return log.error(why, 'the webhook could not be told');
      log.warn(why, 'the webhook could not be told yet; trying again');
      await pause(decision.delayMs, signal);
      if (signal.aborted) return;
    }
  }
}
