/** Making and managing plugins over the management API. */
import { z } from 'zod';
import { pluginId } from '../../config/sections/names';
import { plugin } from './management';

const settings = z.record(z.string(), z.unknown());

const limits = {
  max_concurrent_tasks: z.int().min(1).max(100_000).optional(),
  idle_unload_sec: z
    .number()
    .min(0)
    .max(2_147_483)
    .optional()
    .meta({ description: 'Stops a backend of this host that ran nothing for this long; 0 never does.' }),
  preload: z
    .boolean()
    .optional()
    .meta({ description: 'Starts a backend of this host with the server, not at its first request.' }),
};

export const createPlugin = z.strictObject({
  id: pluginId.meta({ description: 'Models refer to it. Unique without regard to case.' }),
  package: z.string().min(1).max(64),
  settings: settings.default({}).meta({ description: "As the package's `settings_schema` has them." }),
  enabled: z.boolean().default(true),
  ...limits,
});

export const changePlugin = z.strictObject({
  settings: settings.optional().meta({
    description: 'A merge patch (RFC 7396): what is named replaces, null removes, the rest stays, secrets too.',
  }),
  ...limits,
});

export const clonePlugin = z.strictObject({
  id: pluginId.meta({ description: 'Of the clone.' }),
  settings: settings.default({}).meta({ description: "A merge patch over the original's settings." }),
});

/** One plugin whole: GET /api/v1/plugins/{id}. */
export const pluginDetail = plugin.extend({
  settings: settings.meta({ description: 'Without the secret ones.' }),
  secrets: z
    .array(z.string())
    .meta({ description: 'Names of the secret settings that are set. No answer holds a value.' }),
  settings_schema: z.unknown().meta({ description: 'JSON Schema of the settings; null when its package is unknown.' }),
  idle_unload_sec: z.number(),
  preload: z.boolean(),
  read_only: z.string().nullable().meta({ description: 'Why its settings and limits can not be changed here.' }),
  package_digest: z.string().nullable(),
  models: z.array(z.string()).meta({ description: 'Models that it serves.' }),
});

export const pluginPackage = z.object({
  name: z.string(),
  version: z.string(),
  title: z.string(),
  description: z.string(),
  origin: z.enum(['bundled', 'installed']),
  digest: z.string().meta({ description: 'SHA-256 over names and digests of its files.' }),
  compatibility: plugin.shape.compatibility,
  source: z.string().nullable(),
  installed_at: z.number().nullable(),
  files: z.number().meta({ description: 'How many it has.' }),
  plugins: z.array(z.string()).meta({ description: 'Plugins that run it.' }),
  settings_schema: z.unknown().meta({ description: 'JSON Schema of its settings.' }),
});

export const installPackage = z.strictObject({
  path: z.string().min(1).max(4_096).meta({
    description: "Absolute path, on the server's host, of a folder or a .tgz archive with a `manifest.json`.",
  }),
});

export type CreatePlugin = z.input<typeof createPlugin>;
export type ChangePlugin = z.input<typeof changePlugin>;
export type ClonePlugin = z.input<typeof clonePlugin>;
export type PluginDetail = z.infer<typeof pluginDetail>;
export type PluginPackageView = z.infer<typeof pluginPackage>;
