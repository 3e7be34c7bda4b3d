import { z } from 'zod';
import type { Sampling } from './llama-api';
import { badRequest } from './request-fault';

/** OpenAI's default of 1 makes small models ramble. */
const DEFAULT_TEMPERATURE = 0.7;

/** What chat and completions share of a request. Unknown fields are none of our business. */
export const samplingFields = {
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(16)]).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  n: z.literal(1, 'only one choice can be generated').nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
};

type SamplingRequest = z.infer<z.ZodObject<typeof samplingFields>>;

export function toSampling(request: SamplingRequest): Sampling {
  const { frequency_penalty: frequency, presence_penalty: presence, stop } = request;
  return {
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
    topP: request.top_p ?? undefined,
    // The engine's seeds are unsigned 32-bit numbers.
    seed: request.seed === null || request.seed === undefined ? undefined : request.seed >>> 0,
    customStopTriggers: stop === null || stop === undefined ? [] : [stop].flat(),
    repeatPenalty: {
      ...(frequency ? { frequencyPenalty: frequency } : {}),
      ...(presence ? { presencePenalty: presence } : {}),
    },
  };
}

/** Refuses what would otherwise be ignored in silence, though the answer depends on it. */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>, fields: readonly string[]): void {
  for (const field of fields) {
    const value = body[field];
    if (value === undefined || value === null || value === false) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    throw badRequest('unsupported_parameter', `${field} is not supported by this model's server.`, field);
  }
}
