/** Models and virtual models as the management API shows and takes them (`/api/v1`). */
import { z } from 'zod';
import { CAPABILITIES, MODALITIES } from '../../config/sections/catalog';
import { modelName, pluginId, virtualModelName } from '../../config/sections/names';

/** Where the settings file defines something that is read-only here. */
export const definedIn = z.object({
  place: z.string().meta({ description: 'FILE:LINE, or the variable or flag.' }),
  applied_by: z.enum(['restart', 'reload']).meta({ description: 'What applies a change there.' }),
});

const strategy = z.enum(['failover', 'load_balancing']);

export const model = z.object({
  id: z.string(),
  plugin: z.string(),
  upstream_model: z.string(),
  aliases: z.array(z.string()),
  capabilities: z.array(z.string()),
  modalities: z.array(z.string()),
  context_tokens: z.number().nullable().meta({ description: 'Longest prompt and answer together; null: not known.' }),
  enabled: z.boolean(),
  origin: z.enum(['config', 'database']),
  defined_in: definedIn.nullable().meta({ description: 'For origin `config`; only administrators are told.' }),
  virtual_models: z.array(z.string()).meta({ description: 'Those that have it as a member.' }),
  available: z.boolean(),
  reason: z.string().nullable().meta({ description: 'Why it is not available.' }),
});

const changeable = {
  aliases: z.array(modelName).max(64),
  capabilities: z.array(z.enum(CAPABILITIES)).min(1),
  modalities: z.array(z.enum(MODALITIES)).min(1),
  context_tokens: z.int().min(1).nullable(),
  enabled: z.boolean(),
};

export const createModel = z.strictObject({
  id: modelName,
  plugin: pluginId,
  upstream_model: z.string().min(1).max(512).optional().meta({ description: 'The id, unless given.' }),
  aliases: changeable.aliases.default([]),
  capabilities: changeable.capabilities.default(['chat']),
  modalities: changeable.modalities.default(['text']),
  context_tokens: changeable.context_tokens.default(null),
  enabled: changeable.enabled.default(true),
});

export const changeModel = z.strictObject({
  ...z.object(changeable).partial().shape,
  upstream_model: z.string().min(1).max(512).optional(),
});

/** What a removal did, or with `dry_run` would do. */
export const modelRemoval = z.object({
  removed: z.string(),
  dry_run: z.boolean(),
  taken_out_of: z.array(z.string()).meta({ description: 'Virtual models that go on without it.' }),
  disabled: z.array(z.string()).meta({ description: 'Virtual models that have too few members without it.' }),
  still_named_by: z
    .array(z.string())
    .meta({ description: 'Virtual models of the settings file: they keep naming it and never choose it.' }),
});

/** One of a plugin's own list. */
export const pluginModel = z.object({
  upstream_model: z.string(),
  capabilities: z.array(z.string()),
  modalities: z.array(z.string()),
  context_tokens: z.number().nullable(),
  model: z.string().nullable().meta({ description: 'The id it has in the catalogue, or null.' }),
});

export const importModels = z.strictObject({
  models: z
    .array(z.string().min(1).max(512))
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: "Names of the plugin's own list; all of it unless given." }),
  enabled: z.boolean().default(true),
});

export const importedModels = z.object({
  added: z.array(model),
  skipped: z.array(z.object({ upstream_model: z.string(), reason: z.string() })),
});

const memberState = z.object({
  model: z.string(),
  plugin: z.string().nullable(),
  eligible: z.boolean().meta({ description: 'A request that asks for nothing special could go there now.' }),
  code: z.string().nullable().meta({ description: 'Machine-readable reason when it could not.' }),
  reason: z.string().nullable(),
  until: z.number().nullable().meta({ description: 'When that ends by itself, where known.' }),
});

export const virtualModel = z.object({
  name: z.string(),
  strategy,
  members: z.array(z.string()).meta({ description: 'Ids of models, in order. Those you may not use are left out.' }),
  member_states: z.array(memberState).meta({ description: 'The same members as they stand now.' }),
  capabilities: z.array(z.string()).meta({ description: 'What at least one member can do; likewise below.' }),
  modalities: z.array(z.string()),
  context_tokens: z.number().nullable().meta({ description: 'Of the member with the longest context, where known.' }),
  enabled: z.boolean(),
  origin: z.enum(['config', 'api']),
  defined_in: definedIn.nullable().meta({ description: 'For origin `config`; only administrators are told.' }),
  cooldown_until: z
    .number()
    .nullable()
    .meta({ description: 'Its requests are deferred until then, after one failed terminally.' }),
  created_at: z.number(),
  updated_at: z.number(),
});

const members = z
  .array(z.string().min(1).max(128))
  .max(100_000)
  .meta({ description: 'Ids of at least two different models; for failover in the order they are tried.' });

export const createVirtualModel = z.strictObject({
  name: virtualModelName.meta({ description: 'Letters, digits, spaces and / _ . - ; fixed once created.' }),
  strategy,
  members,
  enabled: z.boolean().default(true),
});

const sameName = z.string().optional().meta({ description: 'If given, its name as it is.' });

/** PUT: all that can be changed. */
export const replaceVirtualModel = z.strictObject({
  name: sameName,
  strategy,
  members,
  enabled: z.boolean().optional().meta({ description: 'As it is, unless given.' }),
});

/** PATCH: what is given is changed. */
export const changeVirtualModel = z.strictObject({
  name: sameName,
  strategy: strategy.optional(),
  members: members.optional(),
  enabled: z.boolean().optional(),
});

export const virtualModelRemoval = z.object({
  removed: z.string(),
  dry_run: z.boolean(),
  kept_models: z.array(z.string()).meta({ description: 'The members; they go on under their own names.' }),
});

/** GET /api/v1/routing. */
export const routing = z.object({
  virtual_models: z.array(virtualModel),
  settings: z.object({
    fair_task_rotation: z.boolean(),
    virtual_model_tries_per_member: z.number(),
    virtual_model_failover_cooldown_sec: z.number(),
    queue_capacity: z.number(),
    max_running_local_backends: z.number(),
    max_running_tasks_per_owner: z.number().meta({ description: '0: no limit.' }),
    standard_priority_aging_sec: z.number(),
    flex_priority_aging_sec: z.number(),
  }),
});

export type Model = z.infer<typeof model>;
export type CreateModel = z.infer<typeof createModel>;
export type ChangeModel = z.infer<typeof changeModel>;
export type ModelRemoval = z.infer<typeof modelRemoval>;
export type PluginModel = z.infer<typeof pluginModel>;
export type ImportedModels = z.infer<typeof importedModels>;
export type VirtualModel = z.infer<typeof virtualModel>;
export type CreateVirtualModel = z.infer<typeof createVirtualModel>;
export type ChangeVirtualModel = z.infer<typeof changeVirtualModel>;
export type VirtualModelRemoval = z.infer<typeof virtualModelRemoval>;
export type Routing = z.infer<typeof routing>;
