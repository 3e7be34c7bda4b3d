/** Tells listeners which tasks changed, so that live views can fetch what they show. */
export type TaskListener = (taskId: string) => void;

export class TaskFeed {
  private readonly listeners = new Set<TaskListener>();

  subscribe(listener: TaskListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(taskId: string): void {
    for (const listener of this.listeners) listener(taskId);
  }
}
