import type { Soai } from '../harness';

/** Any request to the management API, with the administrator's key. */
export function send(soai: Soai, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(soai.url + path, {
    method,
    headers: {
      authorization: `Bearer ${soai.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** One model `m-ID` for each plugin, defined before the plugins are. */
export const pluginModels = (...plugins: readonly string[]): { ID: string; PLUGIN: string; UPSTREAM_MODEL: string }[] =>
  plugins.map((id) => ({ ID: `m-${id}`, PLUGIN: id, UPSTREAM_MODEL: `m-${id}` }));
