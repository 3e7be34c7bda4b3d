/**
 * Gives a client the stored answer of a task that another delivery, run or process is working on:
 * idempotent repeats (A9) and clients whose run was taken over (C1).
 */
import type { Store } from '../store/store';
import { replayAnswer } from '../workflows/rules/dialects/exchange';
import type { DeliverySink } from './delivery';
import { stoppedEnding } from './ending';
import type { TaskFeed } from './task-feed';

/** How often the ledger is asked when the end is recorded by another process, ms. */
const POLL_MS = 500;

export class StoredAnswers {
  constructor(
    private readonly store: Store,
    private readonly feed: TaskFeed,
  ) {}

  async deliver(taskId: string, sink: DeliverySink): Promise<void> {
    sink.admitted?.();
    for (;;) {
      const task = await this.store.tasks.get(taskId);
      if (!task) return sink.fail(stoppedEnding('server_restarted').failure);
      if (task.finishedAt !== null) {
        const answer = task.state === 'completed' ? await this.store.tasks.answer(taskId) : null;
        if (!answer)
          return sink.fail({ code: task.reason ?? 'internal_error', message: task.sentence ?? 'The request failed.' });
        if (task.servedBy) sink.begin(task.servedBy);
        if (!task.stream) return sink.json(answer.text);
        const body = JSON.parse((await this.store.tasks.requestBody(taskId)) ?? '{}') as Record<string, unknown>;
        for (const { data, event } of replayAnswer(task.operation, answer.text, body)) await sink.event(data, event);
        return sink.endStream();
      }
      await this.changeOf(taskId);
    }
  }

  private changeOf(taskId: string): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        off();
        resolve();
      };
      const off = this.feed.subscribe((changed) => changed === taskId && done());
      const timer = setTimeout(done, POLL_MS);
    });
  }
}
