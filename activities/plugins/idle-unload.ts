/** Stops backends of this host that ran nothing for as long as their plugin's setting says (spec F). */
import type { Logger } from 'pino';
import type { PluginHost } from '../plugin-host';
import { DEFAULT_OPTIONS } from './definition';

export interface IdleUnloadDeps {
  readonly host: PluginHost;
  readonly load: (pluginId: string) => { readonly running: number; readonly waiting: number };
  readonly log: Logger;
  readonly now: () => number;
}

const LOOK_EVERY_MS = 250;

export class IdleUnload {
  /** When a running backend was first seen without a call. */
  private readonly idleSince = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly deps: IdleUnloadDeps) {}

  start(): void {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  look(): void {
    const { host, now } = this.deps;
    for (const { id, manifest, adapter } of host.all()) {
      const afterMs = (host.definition(id)?.options ?? DEFAULT_OPTIONS).idleUnloadSec * 1_000;
      if (afterMs === 0 || manifest?.local !== true || adapter?.backend.state !== 'running' || this.hasWork(id)) {
        this.idleSince.delete(id);
        continue;
      }
      const since = Math.max(this.idleSince.get(id) ?? now(), host.useOf(id)?.lastUsedAt ?? 0);
      this.idleSince.set(id, since);
      if (now() - since >= afterMs) this.unload(id, adapter);
    }
  }

  private hasWork(id: string): boolean {
    const { running, waiting } = this.deps.load(id);
    return running + waiting + (this.deps.host.useOf(id)?.active ?? 0) > 0;
  }

  private unload(id: string, adapter: { stop(): Promise<void> }): void {
    this.idleSince.delete(id);
    this.deps.log.info({ plugin: id }, 'an idle backend is stopped; the next request starts it again');
    adapter.stop().catch((err: unknown) => this.deps.log.warn({ err, plugin: id }, 'an idle backend did not stop'));
  }
}
