import { z } from 'zod';
import { count, seconds, setting } from '../setting';
import { pluginId } from './names';

export const plugin = z.strictObject({
  ID: setting(pluginId, { description: 'Name of this backend; models refer to it. Unique without regard to case.' }),
  PACKAGE: setting(
    z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be the name of a plugin package, such as openai-compatible'),
    { description: 'Plugin package that drives it: openai-compatible, llama-cpp or command.' },
  ),
  SETTINGS: setting(z.record(z.string(), z.unknown()).default({}), {
    description: "The package's own settings; `soai plugin show` and its page in docs/ name them.",
  }),
  MAX_CONCURRENT_TASKS: count(8, 1, 'tasks', 'Requests it is given at once; further ones wait in the queue.'),
  IDLE_UNLOAD_SEC: seconds(
    0,
    'A backend of this host that ran nothing for this long is stopped, so that its memory is free; 0 never does.',
    'zero',
  ),
  PRELOAD: setting(z.boolean().default(false), {
    description: 'true starts a backend of this host with the server, instead of at its first request.',
  }),
  ENABLED: setting(z.boolean().default(true), { description: 'false keeps it defined but sends it nothing.' }),
});

export const plugins = setting(z.array(plugin).default([]), {
  description: 'Backends that can serve models. More can be added in the WebUI; those live in the database.',
});
