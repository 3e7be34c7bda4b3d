import { signal } from '@angular/core';
import type { QueueSnapshot } from '../api/contract';

export interface QueueSample {
  /** Milliseconds since the epoch. */
  at: number;
  waiting: number;
  running: number;
}

const keptMs = 60 * 60_000;
const resolutionMs = 10_000;

/** Queue depth of the last hour, as this page has seen it: the highest of every ten seconds. */
export class QueueHistory {
  private readonly kept = signal<readonly QueueSample[]>([]);
  readonly samples = this.kept.asReadonly();

  add(queue: Pick<QueueSnapshot, 'waiting' | 'running'>, at: number): void {
    const sample: QueueSample = { at, waiting: queue.waiting, running: queue.running };
    this.kept.update((samples) => {
      const last = samples.at(-1);
      const sameSlot = last !== undefined && slot(last.at) === slot(at);
      const earlier = samples.filter((each) => each.at > at - keptMs && !(sameSlot && each === last));
      return [...earlier, sameSlot ? peak(last, sample) : sample];
    });
  }

  clear(): void {
    this.kept.set([]);
  }
}

const slot = (at: number): number => Math.floor(at / resolutionMs);

function peak(a: QueueSample, b: QueueSample): QueueSample {
  return { at: a.at, waiting: Math.max(a.waiting, b.waiting), running: Math.max(a.running, b.running) };
}
