/** What a plan's run is counted in. */
import type { PlannedPlugin, Stream } from './workload';

/** What kept the next requests in line from starting. */
export type Held = 'plugin' | 'owner' | 'local';

export interface StreamTally {
  readonly stream: Stream;
  arrived: number;
  started: number;
  /** Waits of those that started, ms. */
  readonly waitsMs: number[];
  queueFull: number;
  capacityExceeded: number;
  deadlineExceeded: number;
}

export interface PluginTally {
  readonly plugin: PlannedPlugin;
  running: number;
  /** Running calls over time, call-milliseconds. */
  busyMs: number;
  loads: number;
}

export class Tally {
  readonly streams: readonly StreamTally[];
  readonly plugins: ReadonlyMap<string, PluginTally>;
  /** Milliseconds during which a next request in line was held by this limit: `plugin:ID`, `owner`, `local`. */
  readonly heldMs = new Map<string, number>();
  /** Milliseconds during which anybody waited at the queue's door. */
  doorMs = 0;
  readonly startedByOwner = new Map<string, number>();
  private at = 0;

  constructor(streams: readonly Stream[], plugins: readonly PlannedPlugin[]) {
    this.streams = streams.map((stream) => ({
      stream,
      arrived: 0,
      started: 0,
      waitsMs: [],
      queueFull: 0,
      capacityExceeded: 0,
      deadlineExceeded: 0,
    }));
    this.plugins = new Map(plugins.map((plugin) => [plugin.id, { plugin, running: 0, busyMs: 0, loads: 0 }]));
  }

  /** Time passes, with these limits holding somebody and the door in use or not. */
  pass(to: number, held: ReadonlySet<string>, atDoor: boolean): void {
    const ms = to - this.at;
    this.at = to;
    for (const plugin of this.plugins.values()) plugin.busyMs += plugin.running * ms;
    for (const limit of held) this.heldMs.set(limit, (this.heldMs.get(limit) ?? 0) + ms);
    if (atDoor) this.doorMs += ms;
  }
}
