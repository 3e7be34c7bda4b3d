/** Virtual models of two or more members, each member behind a plugin of its own. */
import { backends, merge, type SettingsTree } from '../harness';
import type { Upstream } from '../upstream';
import { settings } from './settings';

export interface VirtualSettings {
  readonly name: string;
  /** Suffixes of the members; `a` and `b` unless given. Member `a` of `x` is the model `x-a` at the plugin `x-a`. */
  readonly members?: readonly string[];
  readonly strategy?: 'failover' | 'load_balancing';
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
  /** Instead of the shared upstream's. */
  readonly urls?: Readonly<Record<string, string>>;
  readonly maxConcurrentTasks?: number;
}

export const memberOf = (name: string, suffix: string): string => `${name}-${suffix}`;

export function virtualModels(
  upstream: Upstream,
  list: readonly VirtualSettings[],
  more: SettingsTree = {},
): SettingsTree {
  const members = list.flatMap((virtual) =>
    (virtual.members ?? ['a', 'b']).map((suffix) => ({
      id: memberOf(virtual.name, suffix),
      url: virtual.urls?.[suffix] ?? upstream.url,
      capabilities: virtual.capabilities?.[suffix] ?? ['chat', 'completions', 'embeddings', 'responses', 'tools'],
      maxConcurrentTasks: virtual.maxConcurrentTasks ?? 64,
    })),
  );
  const VIRTUAL_MODELS = list.map(({ name, members: suffixes = ['a', 'b'], strategy = 'failover' }) => ({
    NAME: name,
    STRATEGY: strategy,
    MEMBERS: suffixes.map((suffix) => memberOf(name, suffix)),
  }));
  return merge(settings(backends(...members), { MODELS: { ROUTING: { VIRTUAL_MODELS } } }), more);
}
