import { inject, Service } from '@angular/core';
import { Subject } from 'rxjs';
import type { Health, LiveEvent, Plugin, QueueSnapshot, SystemInfo, Task } from '../api/contract';
import { SoaiApi } from '../api/soai-api';
import { LiveValue } from './live-value';
import { QueueHistory } from './queue-history';

const recentTasks = 8;

/** What the whole app knows from the event stream, completed by one fetch of each after every (re)connect. */
@Service()
export class LiveState {
  private readonly api = inject(SoaiApi);
  private readonly taskEvents = new Subject<Task>();
  private readonly resyncs = new Subject<void>();

  readonly health = new LiveValue<Health>();
  readonly queue = new LiveValue<QueueSnapshot>();
  readonly plugins = new LiveValue<readonly Plugin[]>();
  readonly recent = new LiveValue<readonly Task[]>();
  readonly system = new LiveValue<SystemInfo>();
  readonly queueHistory = new QueueHistory();

  /** Every task change as it happens. */
  readonly tasks = this.taskEvents.asObservable();

  /** After a (re)connect: events may have been missed, so pages fetch what they show again. */
  readonly resynced = this.resyncs.asObservable();

  apply(event: LiveEvent): void {
    switch (event.type) {
      case 'health':
        return this.health.set(event.health);
      case 'queue':
        return this.takeQueue(event.queue);
      case 'plugin':
        return this.plugins.update((known) => replace(known ?? [], event.plugin));
      case 'task':
        this.recent.update((known) => newestFirst(known ?? [], event.task));
        return this.taskEvents.next(event.task);
      case 'download':
        // No page shows downloads yet; the command and the API do.
        return;
    }
  }

  async resync(): Promise<void> {
    this.resyncs.next();
    await Promise.all([
      this.health.load(() => this.api.health()),
      this.queue.load(() => this.api.queue()).then(() => this.sampleQueue()),
      this.plugins.load(async () => (await this.api.plugins()).data),
      this.recent.load(async () => (await this.api.tasks({}, { limit: recentTasks })).data),
      this.system.load(() => this.api.systemInfo()),
    ]);
  }

  /** Nothing of one account is shown to the next. */
  clear(): void {
    for (const part of [this.health, this.queue, this.plugins, this.recent, this.system]) part.clear();
    this.queueHistory.clear();
  }

  private takeQueue(queue: QueueSnapshot): void {
    this.queue.set(queue);
    this.sampleQueue();
  }

  private sampleQueue(): void {
    const queue = this.queue.value();
    if (queue) this.queueHistory.add(queue, Date.now());
  }
}

function replace(plugins: readonly Plugin[], changed: Plugin): readonly Plugin[] {
  const known = plugins.some((plugin) => plugin.id === changed.id);
  return known ? plugins.map((plugin) => (plugin.id === changed.id ? changed : plugin)) : [...plugins, changed];
}

function newestFirst(tasks: readonly Task[], changed: Task): readonly Task[] {
  const others = tasks.filter((task) => task.id !== changed.id);
  return [changed, ...others].sort((a, b) => b.accepted_at - a.accepted_at).slice(0, recentTasks);
}
