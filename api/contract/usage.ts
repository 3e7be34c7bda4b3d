/** Usage added up, as `GET /api/v1/usage` answers it. */
import { z } from 'zod';

export const usageGroup = z.enum(['day', 'model', 'served_model', 'plugin', 'owner', 'account']);

export const usageSums = z.object({
  day: z
    .string()
    .optional()
    .meta({ description: 'UTC day of the end, YYYY-MM-DD; present when grouped by, as below.' }),
  model: z.string().optional().meta({ description: 'The name the clients asked for.' }),
  served_model: z.string().nullable().optional().meta({ description: 'Null: no backend had answered.' }),
  plugin: z.string().nullable().optional(),
  owner: z.string().optional().meta({ description: 'Id of an account, an API key or an automation.' }),
  account: z.string().optional(),
  requests: z.number(),
  completed: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  attempts: z.number().meta({ description: 'Calls to backends, retries included.' }),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  cached_tokens: z.number(),
  reasoning_tokens: z.number(),
  mean_queue_ms: z.number().nullable().meta({ description: 'Accepted to the first call.' }),
  mean_first_token_ms: z.number().nullable().meta({ description: 'Accepted to the first content of a stream.' }),
  tokens_per_second: z.number().nullable().meta({ description: 'Of streams, from their first content to their end.' }),
});

export type UsageGroup = z.infer<typeof usageGroup>;
export type UsageSums = z.infer<typeof usageSums>;
