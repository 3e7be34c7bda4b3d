/**
 * What a client may send to `POST /v1/responses`, as far as SoAI looks at it (contract 5; bounds are
 * S52's). Everything else goes to the backend untouched.
 */
import { z } from 'zod';
import { commonSampling, modelName, outputTokens, serviceTier, tools } from '../requests';
import { inputItems } from './input-checks';

const MAX_METADATA_PAIRS = 16;
const MAX_METADATA_KEY = 64;
const MAX_METADATA_VALUE = 512;
const MAX_INCLUDES = 64;
const MAX_TOOL_CALLS = 1_000_000;
const MAX_ID = 128;

export const metadata = z
  .record(z.string().max(MAX_METADATA_KEY), z.string().max(MAX_METADATA_VALUE))
  .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS, `at most ${MAX_METADATA_PAIRS} pairs`)
  .nullish();

export const responseRequest = z
  .looseObject({
    ...commonSampling,
    model: modelName,
    input: z.union([z.string(), inputItems]),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
    background: z.boolean().nullish(),
    store: z.boolean().nullish(),
    previous_response_id: z.string().min(1).max(MAX_ID).nullish(),
    metadata,
    include: z.array(z.string().max(MAX_ID)).max(MAX_INCLUDES).nullish(),
    max_output_tokens: outputTokens,
    max_tool_calls: z.int().min(1).max(MAX_TOOL_CALLS).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    tools,
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
    text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
    reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    service_tier: serviceTier,
    prompt_cache_key: z.string().max(4_096).nullish(),
    safety_identifier: z.string().max(4_096).nullish(),
    conversation: z.null({ error: 'conversations are not offered; continue with previous_response_id' }).optional(),
  })
  .refine((body) => body.background !== true || body.store !== false, {
    path: ['store'],
    error: 'must not be false in the background: the answer could not be fetched',
  });

export type ResponseRequest = z.infer<typeof responseRequest>;
