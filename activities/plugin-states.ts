/**
 * What the database knows of each plugin's health and quarantine, held in memory (spec F5). Written
 * through; on a shared database it is read again every half a second, since other processes write too.
 */
import type { Logger } from 'pino';
import type { PluginStateRow, StoredGuardian, StoredQuarantine } from '../store/records';
import type { PluginStates as PluginStatesStore } from '../store/store';
import { NOT_QUARANTINED, type Quarantine } from './hosted-plugin';

const UNKNOWN: StoredGuardian = {
  health: 'unknown',
  recoveryAttempts: 0,
  flapping: false,
  transitions: [],
  lastPingAt: null,
};

export class PluginStates {
  private rows = new Map<string, PluginStateRow>();
  private readonly pings = new Map<string, number>();
  private readonly listeners = new Set<(row: PluginStateRow) => void>();
  private timer: NodeJS.Timeout | null = null;
  private reading = false;

  constructor(
    private readonly store: PluginStatesStore,
    private readonly log: Logger,
  ) {}

  /** Reads everything, telling the listeners of each row that is new or newer. */
  async load(): Promise<void> {
    for (const row of await this.store.list()) this.take(row);
  }

  /** @param everyMs how often other processes' writes are looked for */
  follow(everyMs: number): void {
    this.timer = setInterval(() => void this.readAgain(), everyMs);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  quarantineOf(pluginId: string): Quarantine {
    const row = this.rows.get(pluginId);
    if (!row) return NOT_QUARANTINED;
    return { state: row.quarantineState, reason: row.quarantineReason, since: row.quarantineSince };
  }

  guardianOf(pluginId: string): StoredGuardian {
    const { health, recoveryAttempts, flapping, transitions, lastPingAt } = this.rows.get(pluginId) ?? UNKNOWN;
    return { health, recoveryAttempts, flapping, transitions, lastPingAt: this.pings.get(pluginId) ?? lastPingAt };
  }

  /** A ping that changed nothing: not worth a write. */
  pinged(pluginId: string, at: number): void {
    this.pings.set(pluginId, at);
  }

  /** Its plugin is gone, and its row with it. */
  forget(pluginId: string): void {
    this.rows.delete(pluginId);
    this.pings.delete(pluginId);
  }

  async putGuardian(pluginId: string, guardian: StoredGuardian, at: number): Promise<void> {
    await this.store.putGuardian(pluginId, guardian, at);
    await this.reread(pluginId);
  }

  async putQuarantine(pluginId: string, { state, reason, since }: Quarantine, at: number): Promise<void> {
    const quarantine: StoredQuarantine = {
      quarantineState: state,
      quarantineReason: reason,
      quarantineSince: since,
    };
    await this.store.putQuarantine(pluginId, quarantine, at);
    await this.reread(pluginId);
  }

  /** Called with each row that changed, whoever changed it. @returns the end of the subscription */
  onChange(listener: (row: PluginStateRow) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private async reread(pluginId: string): Promise<void> {
    const row = await this.store.get(pluginId);
    if (row) this.take(row);
  }

  private async readAgain(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    try {
      await this.load();
    } catch (error) {
      this.log.warn({ err: error }, 'the states of plugins could not be read; the last known ones stand');
    } finally {
      this.reading = false;
    }
  }

  private take(row: PluginStateRow): void {
    const known = this.rows.get(row.pluginId);
    if (known && JSON.stringify(known) === JSON.stringify(row)) return;
    this.rows.set(row.pluginId, row);
    for (const listener of this.listeners) listener(row);
  }
}
