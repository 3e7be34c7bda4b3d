/** Waits for plugins by the live events, so that nothing has to be polled. */
import type { Plugin } from '../../api/contract/management';
import { get, post } from './client';
import type { Soai } from './soai';
import { follow } from './sse';

const WITHIN_MS = 30_000;

export const pluginOf = (soai: Soai, id: string): Promise<Plugin> => get(soai, `/api/v1/plugins/${id}`);

export async function pluginAction(soai: Soai, id: string, action: string): Promise<Response> {
  return post(soai, `/api/v1/plugins/${id}/${action}`, undefined);
}

/** The plugin once it `matches`, now or later. */
export async function untilPlugin(soai: Soai, id: string, matches: (plugin: Plugin) => boolean): Promise<Plugin> {
  const done = new AbortController();
  const events = await fetch(`${soai.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${soai.key}` },
    signal: AbortSignal.any([AbortSignal.timeout(WITHIN_MS), done.signal]),
  });
  let last: Plugin | null = null;
  try {
    last = await pluginOf(soai, id);
    if (matches(last)) return last;
    for await (const { event, data } of follow(events)) {
      if (event !== 'plugin') continue;
      const { plugin } = JSON.parse(data) as { plugin: Plugin };
      if (plugin.id !== id) continue;
      last = plugin;
      if (matches(plugin)) return plugin;
    }
    throw new Error('the live events ended');
  } catch (cause) {
    throw new Error(`the plugin ${id} was not as awaited; at last: ${JSON.stringify(last)}`, { cause });
  } finally {
    done.abort();
  }
}
