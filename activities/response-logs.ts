/** The background streams this process is writing down, and who is told when one has grown. */
import type { Store } from '../store/store';
import { announceResponse } from '../workflows/rules/responses/announcement';
import { ResponseRecorder } from './response-recorder';
import type { Run } from './runs';
import { TaskFeed } from './task-feed';

export class ResponseLogs {
  /** Tells of every task whose events have grown. */
  readonly feed = new TaskFeed();
  private readonly recorders = new WeakMap<Run, ResponseRecorder>();
  private stopped = false;

  constructor(private readonly store: Store) {}

  /** True once no more is written here: a reader has to come back later, or elsewhere. */
  get closed(): boolean {
    return this.stopped;
  }

  /** Writes down what `run` gives, if its client may want to read it later. */
  record(run: Run): void {
    const { taskId, operation, background, stream } = run.facts;
    if (operation !== 'responses' || !background || !stream) return;
    const { model: clientModel, acceptedAt, body } = run.facts;
    const recorder = new ResponseRecorder({
      store: this.store,
      taskId,
      announce: (first) =>
        announceResponse({ taskId, clientModel, acceptedAt, background, body: body ?? {}, eventsBefore: first }),
      onWritten: () => this.feed.changed(taskId),
    });
    this.recorders.set(run, recorder);
    run.delivery.attach(recorder);
  }

  /** How many events a client of this run has before the answer's own. */
  async eventsBefore(run: Run): Promise<number> {
    return (await this.recorders.get(run)?.eventsBefore()) ?? 0;
  }

  close(): void {
    this.stopped = true;
  }
}
