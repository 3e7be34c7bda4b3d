import { inject, Service } from '@angular/core';
import type { Task } from '../api/contract';
import { SoaiApi } from '../api/soai-api';
import { LiveState } from '../live/live-state';

/** A place in the queue moves without an event of the task's own. */
const askEveryMs = 2_000;

/** Why an answer has not begun, in words, for as long as it has not. */
@Service()
export class QueueWatch {
  private readonly api = inject(SoaiApi);
  private readonly live = inject(LiveState);

  /** Ends by the returned function. */
  watch(taskId: string, tell: (waitingFor: string) => void): () => void {
    const leaving = new AbortController();
    const events = this.live.tasks.subscribe((task) => {
      if (task.id === taskId) tell(waitingFor(task));
    });
    const ask = async (): Promise<void> => {
      try {
        const task = await this.api.task(taskId, leaving.signal);
        if (!leaving.signal.aborted) tell(waitingFor(task));
      } catch {
        // Only a courtesy: the stream itself reports what goes wrong.
      }
    };
    const timer = setInterval(() => void ask(), askEveryMs);
    return () => {
      leaving.abort();
      clearInterval(timer);
      events.unsubscribe();
    };
  }
}

export function waitingFor(task: Pick<Task, 'state' | 'queue_position' | 'message' | 'served_by'>): string {
  switch (task.state) {
    case 'queued':
      return task.queue_position === null ? 'Queued' : place(task.queue_position);
    case 'deferred':
      return task.message ? `Deferred: ${task.message}` : 'Deferred until a backend is available again';
    default:
      return 'The model is working on it';
  }
}

export function place(position: number): string {
  if (position <= 0) return 'Next in line';
  return position === 1 ? '1 request before this one' : `${position} requests before this one`;
}
