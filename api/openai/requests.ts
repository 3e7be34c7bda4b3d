/**
 * What a client may send to the OpenAI routes, as far as SoAI looks at it. Everything else travels
 * to the backend untouched (spec K): these schemas judge the body, they never rewrite it.
 * Source: OpenAI API reference; bounds are S52's.
 */
import { z } from 'zod';
import { messages, textOrTokens } from './bulk-checks';

const MAX_TOKENS = 10_000_000;
const MAX_CHOICES = 128;
const MAX_TOOLS = 1_024;
const MAX_STOPS = 64;
const MAX_LOGIT_BIASES = 20_000;
const MAX_INPUTS = 2_048;
const MAX_MODEL_NAME = 512;

export const outputTokens = z.int().min(1).max(MAX_TOKENS).nullish();
export const modelName = z.string().min(1).max(MAX_MODEL_NAME);

export const serviceTier = z.enum(['auto', 'default', 'flex', 'priority', 'scale']).nullish();

export const tools = z
  .array(z.looseObject({ type: z.string() }))
  .max(MAX_TOOLS)
  .nullish();

/** What every operation that makes text has. */
export const commonSampling = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  user: z.string().max(4_096).nullish(),
};

const common = {
  ...commonSampling,
  model: modelName,
  stream: z.boolean().nullish(),
  n: z.int().min(1).max(MAX_CHOICES).nullish(),
  max_tokens: outputTokens,
  stop: z.union([z.string(), z.array(z.string()).max(MAX_STOPS)]).nullish(),
  seed: z.int().nullish(),
  logit_bias: z
    .record(z.string(), z.number())
    .refine((biases) => Object.keys(biases).length <= MAX_LOGIT_BIASES, `at most ${MAX_LOGIT_BIASES} entries`)
    .nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  service_tier: serviceTier,
};

const optionsNeedStream = (body: { stream?: boolean | null; stream_options?: unknown }): boolean =>
  body.stream === true || body.stream_options === null || body.stream_options === undefined;

const streamOptionsRule = {
  path: ['stream_options'],
  message: 'is only allowed when "stream" is true',
};

export const chatRequest = z
  .looseObject({
    ...common,
    messages,
    max_completion_tokens: outputTokens,
    tools,
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
    response_format: z.looseObject({ type: z.string() }).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
  })
  .refine(optionsNeedStream, streamOptionsRule);

export const completionRequest = z
  .looseObject({
    ...common,
    prompt: textOrTokens(MAX_INPUTS),
    best_of: z.int().min(1).max(MAX_CHOICES).nullish(),
  })
  .refine(optionsNeedStream, streamOptionsRule);

export const embeddingRequest = z.looseObject({
  model: modelName,
  input: textOrTokens(MAX_INPUTS),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(65_536).nullish(),
});

export type ClientRequest = { model: string; stream?: boolean | null; service_tier?: string | null };
