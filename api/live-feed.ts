/** Live events for GET /api/v1/events: task, queue, plugin and health changes, coalesced so that a burst stays cheap. */
import type { Runtime } from '../activities/runtime';
import type { Engine } from '../activities/engine';
import type { Store } from '../store/store';
import type { LiveEvent } from './contract/management';
import type { LiveEvents, PluginsShown } from './deps';
import type { HealthWatch } from './health-watch';
import { AccountNames } from './management/account-names';
import { downloadView } from './models/model-files';
import { queueView } from './management/queue';
import { TaskViews } from './management/task-view';

/** Changes within this time go out together, ms. */
const COALESCE_MS = 200;
const HEALTH_MS = 5_000;
/** A burst is told by its newest tasks; lists refetch the rest. */
const MAX_TASKS_A_ROUND = 100;

interface Parts {
  readonly store: Store;
  readonly engine: Engine;
  readonly runtime: Runtime;
}

export class LiveFeed implements LiveEvents {
  private readonly listeners = new Set<(event: LiveEvent) => void>();
  private readonly changed = new Set<string>();
  private readonly tasks: TaskViews;
  private timer: NodeJS.Timeout | null = null;
  private readonly healthTimer: NodeJS.Timeout;
  private readonly unsubscribe: readonly (() => void)[];
  private lastHealth = '';

  constructor(
    private readonly parts: Parts,
    private readonly health: HealthWatch,
    private readonly shown: Pick<PluginsShown, 'plugins'>,
  ) {
    const { runtime, engine, store } = parts;
    this.tasks = new TaskViews(new AccountNames(store.accounts), runtime.dispatcher, engine);
    this.unsubscribe = [
      runtime.feed.subscribe((taskId) => this.note(taskId)),
      engine.onChange(() => this.tellHealth()),
      runtime.plugins.onChange(({ id }) => this.tellPlugin(id)),
      runtime.downloads.onChange((row) => this.emit({ type: 'download', download: downloadView(row) })),
      runtime.circuits.onChange((pluginId) => this.tellPlugin(pluginId)),
      runtime.health.states.onChange(({ pluginId }) => this.tellPlugin(pluginId)),
    ];
    this.healthTimer = setInterval(() => this.tellHealth(), HEALTH_MS);
    this.healthTimer.unref();
  }

  subscribe(listener: (event: LiveEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    clearInterval(this.healthTimer);
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }

  private note(taskId: string): void {
    if (this.listeners.size === 0) return;
    this.changed.add(taskId);
    this.timer ??= setTimeout(() => void this.round(), COALESCE_MS);
  }

  private async round(): Promise<void> {
    this.timer = null;
    const ids = [...this.changed].slice(-MAX_TASKS_A_ROUND);
    this.changed.clear();
    this.emit({ type: 'queue', queue: queueView(this.parts.runtime.dispatcher.snapshot(), Date.now()) });
    for (const plugin of this.shown.plugins()) this.emit({ type: 'plugin', plugin });
    for (const id of ids) {
      const record = await this.parts.store.tasks.get(id).catch(() => null);
      if (record) this.emit({ type: 'task', task: await this.tasks.task(record) });
    }
  }

  private tellPlugin(id: string): void {
    if (this.listeners.size === 0) return;
    const plugin = this.shown.plugins().find((each) => each.id === id);
    if (plugin) this.emit({ type: 'plugin', plugin });
  }

  private tellHealth(): void {
    if (this.listeners.size === 0) return;
    const health = this.health.current();
    const { uptime_sec: _changesAlways, ...rest } = health;
    const text = JSON.stringify(rest);
    if (text === this.lastHealth) return;
    this.lastHealth = text;
    this.emit({ type: 'health', health });
  }

  private emit(event: LiveEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
