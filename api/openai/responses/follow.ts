/**
 * Gives a client the events of a stored response: what is written of a background stream as it grows,
 * the stored answer of any other once it is there (spec K "Background streams", fault E3).
 */
import type { Logger } from 'pino';
import type { DeliverySink } from '../../../activities/delivery';
import type { ResponseLogs } from '../../../activities/response-logs';
import type { Store } from '../../../store/store';
import type { StoredResponseEvent, TaskRecord } from '../../../store/records';
import type { ServerEvent } from '../../../workflows/rules/dialects/answer-stream';
import { failureEvents } from '../../../workflows/rules/responses/failed-response';
import { replayResponse } from '../../../workflows/rules/responses/replay';
import { AppError } from '../../errors/app-error';
import { entryOf } from '../../errors/catalogue';
import { asAppError } from '../../errors/from-thrown';
import { errorOf, type StoredResponses } from './stored-responses';

/** How often the ledger is asked when another process writes, ms. */
const POLL_MS = 500;
const BATCHES_AT_ONCE = 50;
/** Events that every background stream begins with. */
const ANNOUNCEMENT = 2;
const LAST_EVENTS: ReadonlySet<string | null> = new Set(['response.completed', 'response.incomplete']);

export interface FollowDeps {
  readonly store: Store;
  readonly logs: ResponseLogs;
  readonly responses: StoredResponses;
  readonly log: Logger;
}

export interface Following {
  readonly taskId: string;
  /** Sequence number of the last event the client has; -1: none. */
  readonly after: number;
  /** Fires when the client has gone. */
  readonly gone: AbortSignal;
}

/**
 * Where to begin: after the event the client names, or at the beginning of the latest run.
 * @throws AppError stream_restarted when that event was of an earlier run
 */
export async function beginning(store: Store, taskId: string, startingAfter: number | null): Promise<number> {
  const last = await store.responses.lastAttempt(taskId);
  if (startingAfter === null) return (last?.first ?? 0) - 1;
  if (last && startingAfter < last.first - 1) throw new AppError('stream_restarted', { param: 'starting_after' });
  return startingAfter;
}

/** Ends `sink` in every case but that the client has gone. Never rejects. */
export async function follow(deps: FollowDeps, following: Following, sink: DeliverySink): Promise<void> {
  try {
    await new Follower(deps, following, sink).run();
  } catch (thrown) {
    const { code, message } = asAppError(thrown);
    deps.log.error({ err: thrown, task: following.taskId, code }, 'the stream of a stored response broke off');
    sink.fail({ code, message });
  }
}

class Follower {
  private attempt: number | null = null;
  /** Of the latest event written down. */
  private sequence: number;
  private complete = false;

  constructor(
    private readonly deps: FollowDeps,
    private readonly following: Following,
    private readonly sink: DeliverySink,
  ) {
    this.sequence = following.after;
  }

  async run(): Promise<void> {
    const { deps, following, sink } = this;
    while (!following.gone.aborted) {
      // Asked before the events are: what is seen of an ended task then is all there is.
      const task = await deps.store.tasks.get(following.taskId);
      const events = await deps.store.responses.events(following.taskId, this.sequence, BATCHES_AT_ONCE);
      if (!(await this.give(events))) return restarted(sink);
      if (events.length > 0) continue;
      if (this.complete) return sink.endStream();
      if (!task) return sink.fail({ code: 'response_not_found', message: entryOf('response_not_found').message });
      if (task.finishedAt !== null) return this.conclude(task);
      if (deps.logs.closed) return sink.fail({ code: 'shutting_down', message: entryOf('shutting_down').message });
      await this.grown();
    }
  }

  /** False: another run has begun, and these are not what the client has the beginning of. */
  private async give(events: readonly StoredResponseEvent[]): Promise<boolean> {
    for (const { attempt, sequence, data, event } of events) {
      this.attempt ??= attempt;
      if (attempt !== this.attempt) return false;
      this.sequence = sequence;
      this.complete = LAST_EVENTS.has(event);
      await this.sink.event(data, event);
    }
    return true;
  }

  /** The task has ended and no more is written: the rest follows from how it ended. */
  private async conclude(task: TaskRecord): Promise<void> {
    const { deps, following, sink } = this;
    const last = await deps.store.responses.lastAttempt(task.id);
    const written = last?.next ?? 0;
    const hasContent = last !== null && last.next - last.first > ANNOUNCEMENT;
    const response = await deps.responses.object({ task });
    const rest = restOf(task, response, written, hasContent);
    for (const { event, data } of rest.slice(Math.max(0, following.after + 1 - written))) {
      await sink.event(data, event);
    }
    sink.endStream();
  }

  private grown(): Promise<void> {
    const { deps, following } = this;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        off();
        following.gone.removeEventListener('abort', done);
        resolve();
      };
      const off = deps.logs.feed.subscribe((taskId) => taskId === following.taskId && done());
      const timer = setTimeout(done, POLL_MS);
      following.gone.addEventListener('abort', done, { once: true });
    });
  }
}

/** The events beyond the `written` first ones, which hold some of the answer or only announce it. */
function restOf(
  task: TaskRecord,
  response: Awaited<ReturnType<StoredResponses['object']>>,
  written: number,
  hasContent: boolean,
): readonly ServerEvent[] {
  if (task.state === 'failed') return failureEvents(response, errorOf(task), written);
  return hasContent ? [] : replayResponse(response, written);
}

function restarted(sink: DeliverySink): void {
  sink.fail({ code: 'stream_restarted', message: entryOf('stream_restarted').message });
}
