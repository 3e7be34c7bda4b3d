/**
 * The queue's contract in memory: what `claim`, `renew`, `takeOver` and the rest must answer.
 * Written from the contract of `store/store.ts`, knowing nothing of tables.
 */
export interface ModelTask {
  ended: string | null;
  holder: string | null;
  leaseUntil: number;
  owner: string;
  fence: number;
  attempts: number;
  takeovers: number;
  cancelRequested: boolean;
}

export interface ModelProcess {
  heartbeatAt: number;
  stopped: boolean;
}

export const leaseMs = 30_000;
export const staleProcessMs = 20_000;

export class QueueModel {
  readonly tasks: ModelTask[];

  constructor(
    count: number,
    readonly processes: Map<string, ModelProcess>,
    owner: string,
  ) {
    const fresh = {
      ended: null,
      holder: null,
      leaseUntil: 0,
      owner,
      fence: 0,
      attempts: 0,
      takeovers: 0,
      cancelRequested: false,
    };
    this.tasks = Array.from({ length: count }, () => ({ ...fresh }));
  }

  claim(task: ModelTask, holder: string, now: number): { fence: number; attempt: number } | null {
    if (task.ended || task.cancelRequested || task.owner !== holder) return null;
    Object.assign(task, { holder, leaseUntil: now + leaseMs, fence: task.fence + 1, attempts: task.attempts + 1 });
    return { fence: task.fence, attempt: task.attempts };
  }

  renew(holder: string, now: number): ModelTask[] {
    const held = this.tasks.filter((task) => !task.ended && task.holder === holder);
    for (const task of held) task.leaseUntil = now + leaseMs;
    return held;
  }

  release(task: ModelTask, fence: number): boolean {
    if (task.ended || task.holder === null || task.fence !== fence) return false;
    task.holder = null;
    return true;
  }

  finish(task: ModelTask, fence: number): boolean {
    if (task.ended || task.holder === null || task.fence !== fence) return false;
    task.ended = 'completed';
    return true;
  }

  settle(task: ModelTask, owner: string): boolean {
    if (task.ended || task.owner !== owner) return false;
    task.ended = 'failed';
    return true;
  }

  endOrphan(task: ModelTask, now: number): boolean {
    if (!this.isOrphan(task, now)) return false;
    task.ended = 'failed';
    return true;
  }

  /** Open tasks that this process is to run, with their cancellation. */
  standing(owner: string): { readonly task: ModelTask; readonly cancelRequested: boolean }[] {
    return this.tasks
      .filter((task) => !task.ended && task.owner === owner)
      .map((task) => ({ task, cancelRequested: task.cancelRequested }));
  }

  isOrphan(task: ModelTask, now: number): boolean {
    if (task.ended) return false;
    if (task.holder !== null) return task.leaseUntil <= now || this.processes.get(task.holder)!.stopped;
    const owner = this.processes.get(task.owner)!;
    return owner.stopped || owner.heartbeatAt < now - staleProcessMs;
  }

  takeOver(task: ModelTask, owner: string, now: number): boolean {
    if (!this.isOrphan(task, now)) return false;
    const wasRunning = task.holder !== null;
    Object.assign(task, { holder: null, owner, fence: task.fence + 1 });
    if (wasRunning) task.takeovers += 1;
    return true;
  }
}
