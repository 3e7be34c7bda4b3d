/** The model files of plugins that serve some of this host, and the downloads that bring more (`/api/v1`). */
import { z } from 'zod';

export const modelFile = z.object({
  name: z.string(),
  size_bytes: z.number(),
  modified_at: z.number(),
  fault: z.string().nullable().meta({ description: 'Why it can not be loaded.' }),
  architecture: z.string().nullable(),
  quantisation: z.string().nullable(),
  parameters: z.number().nullable(),
  context_tokens: z.number().nullable().meta({ description: 'As trained.' }),
  has_chat_template: z.boolean(),
  models: z.array(z.string()).meta({ description: 'Models of the catalogue that are served from it.' }),
});

export const startDownload = z.strictObject({
  url: z
    .string()
    .max(4_096)
    .optional()
    .meta({ description: "http or https; the plugin's own small model unless given." }),
  file: z.string().min(1).max(256).optional().meta({ description: "Its name here; the URL's unless given." }),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .optional()
    .meta({ description: 'Checked before the file appears.' }),
});

export const download = z.object({
  id: z.string(),
  plugin: z.string(),
  file: z.string(),
  url: z.string().nullable().meta({ description: 'Without user name and query.' }),
  state: z.enum(['running', 'completed', 'failed', 'cancelled']),
  received_bytes: z.number(),
  total_bytes: z.number().nullable(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  created_at: z.number(),
  finished_at: z.number().nullable(),
});

/** What a removal did, or with `dry_run` would do. */
export const fileRemoval = z.object({
  removed: z.string(),
  dry_run: z.boolean(),
  disabled_models: z.array(z.string()).meta({ description: 'Models that were served from it.' }),
  still_named_by: z.array(z.string()).meta({ description: 'Models of the settings file; their requests fail.' }),
  virtual_models: z.array(z.string()).meta({ description: 'Virtual models that have one of those as a member.' }),
});

export type ModelFile = z.infer<typeof modelFile>;
export type StartDownload = z.infer<typeof startDownload>;
export type Download = z.infer<typeof download>;
export type FileRemoval = z.infer<typeof fileRemoval>;
