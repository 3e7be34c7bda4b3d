/** How many requests of each plugin wait in this process's ready queue and how many run. */
export interface PluginLoad {
  readonly running: number;
  readonly waiting: number;
}

const NONE: PluginLoad = { running: 0, waiting: 0 };

export class PluginLoads {
  private readonly byPlugin = new Map<string, PluginLoad>();

  of(pluginId: string): PluginLoad {
    return this.byPlugin.get(pluginId) ?? NONE;
  }

  add(pluginId: string, change: Partial<PluginLoad>): void {
    const { running, waiting } = this.of(pluginId);
    const load = { running: running + (change.running ?? 0), waiting: waiting + (change.waiting ?? 0) };
    if (load.running + load.waiting > 0) this.byPlugin.set(pluginId, load);
    else this.byPlugin.delete(pluginId);
  }
}
