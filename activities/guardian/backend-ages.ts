/** Since when each backend has been in its state, as far as this process has seen. */
import type { BackendState } from '../../plugins/adapter';

export class BackendAges {
  private readonly seen = new Map<string, { readonly state: BackendState; readonly since: number }>();

  since(pluginId: string, state: BackendState, now: number): number {
    const known = this.seen.get(pluginId);
    if (known?.state === state) return known.since;
    this.seen.set(pluginId, { state, since: now });
    return now;
  }
}
