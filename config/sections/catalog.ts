import { z } from 'zod';
import { setting } from '../setting';
import { modelName, pluginId } from './names';

export const CAPABILITIES = [
  'chat',
  'completions',
  'embeddings',
  'responses',
  'tools',
  'json_schema',
  'reasoning',
] as const;

export const MODALITIES = ['text', 'image', 'audio', 'file'] as const;

export const catalogModel = z.strictObject({
  ID: setting(modelName, { description: 'Name that clients send. Unique without regard to case, aliases included.' }),
  PLUGIN: setting(pluginId, { description: 'ID of the plugin that serves it.' }),
  UPSTREAM_MODEL: setting(z.string().min(1).max(512), { description: "The model's name at the backend." }),
  ALIASES: setting(z.array(modelName).default([]), { description: 'Further names that clients may send.' }),
  CAPABILITIES: setting(z.array(z.enum(CAPABILITIES)).min(1).default(['chat']), {
    description: 'What it can do; a virtual model drops members that lack what a request asks for.',
  }),
  MODALITIES: setting(z.array(z.enum(MODALITIES)).min(1).default(['text']), {
    description: 'Kinds of input it understands.',
  }),
  CONTEXT_TOKENS: setting(z.int().min(1).nullable().default(null), {
    description:
      'Longest prompt and answer together. A virtual model drops it for requests that are surely longer; null: not known.',
    unit: 'tokens',
  }),
  ENABLED: setting(z.boolean().default(true), { description: 'false hides it and refuses requests for it.' }),
});

export const catalog = setting(z.array(catalogModel).default([]), {
  description: 'Models offered to clients. More can be added in the WebUI; those live in the database.',
});
