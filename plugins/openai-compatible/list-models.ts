import { z } from 'zod';
import { UpstreamFailure, type DiscoveredModel } from '../adapter';

/** What `/models` says. Beyond `id` each server has fields of its own; those that tell something are read. */
const entry = z.object({
  id: z.string().min(1).max(512),
  max_model_len: z.number().positive().optional().catch(undefined), // vLLM
  context_length: z.number().positive().optional().catch(undefined), // OpenRouter, Together
  meta: z.object({ n_ctx_train: z.number().positive() }).optional().catch(undefined), // llama-server
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .optional()
    .catch(undefined),
  supported_parameters: z.array(z.string()).optional().catch(undefined),
});

const MODALITIES = new Set(['text', 'image', 'audio', 'file']);

const PARAMETER_CAPABILITY: Readonly<Record<string, string>> = {
  tools: 'tools',
  structured_outputs: 'json_schema',
  reasoning: 'reasoning',
};

/** Entries that can't be read are left out, so that one odd model doesn't hide the others. */
export function listModels(text: string): DiscoveredModel[] {
  const list = z.object({ data: z.array(z.unknown()) }).safeParse(JSON.parse(text));
  if (!list.success)
    throw new UpstreamFailure('malformed', 'The backend answered with something else than a list of models.');
  return list.data.data.flatMap((item) => {
    const parsed = entry.safeParse(item);
    return parsed.success ? [describe(parsed.data)] : [];
  });
}

function describe(model: z.infer<typeof entry>): DiscoveredModel {
  const modalities = model.architecture?.input_modalities.filter((name) => MODALITIES.has(name)) ?? [];
  const extra = (model.supported_parameters ?? []).flatMap((name) => PARAMETER_CAPABILITY[name] ?? []);
  return {
    upstreamModel: model.id,
    // The list doesn't say what a model is for; by convention an embedding model's name does.
    capabilities: /embed/i.test(model.id) ? ['embeddings'] : ['chat', ...extra],
    modalities: modalities.length > 0 ? modalities : ['text'],
    contextTokens: Math.floor(model.max_model_len ?? model.context_length ?? model.meta?.n_ctx_train ?? 0) || null,
  };
}
