/**
 * What a client may send to `POST /v1/messages`, as far as SoAI looks at it (bounds are S52's).
 * Source: Anthropic Messages API reference. Everything else travels on.
 */
import { z } from 'zod';
import { bulkArray, isObject, isTypedParts } from '../bulk-checks';
import { modelName } from '../requests';

const MAX_TOKENS = 10_000_000;
const MAX_MESSAGES = 100_000;
const MAX_TOOLS = 1_024;
const MAX_STOPS = 64;
const MAX_NAME = 256;
const ROLES: readonly unknown[] = ['user', 'assistant'];

const turns = bulkArray('messages', (items, report) => {
  if (items.length > MAX_MESSAGES) return report('custom', [], `at most ${MAX_MESSAGES} messages`);
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) return report('invalid_type', [index], 'expected an object');
    if (!ROLES.includes(item['role'])) return report('custom', [index, 'role'], "must be 'user' or 'assistant'");
    if (!isTypedParts(item['content'], [index, 'content'], report)) return;
  }
});

const system = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).max(MAX_TOOLS),
]);

export const messageRequest = z.looseObject({
  model: modelName,
  messages: turns,
  max_tokens: z.int().min(1).max(MAX_TOKENS),
  system: system.nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string()).max(MAX_STOPS).nullish(),
  tools: z
    .array(z.looseObject({ name: z.string().min(1).max(MAX_NAME) }))
    .max(MAX_TOOLS)
    .nullish(),
  tool_choice: z
    .looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']), name: z.string().optional() })
    .refine((choice) => choice.type !== 'tool' || choice.name !== undefined, {
      path: ['name'],
      error: "is needed when type is 'tool'",
    })
    .nullish(),
  metadata: z.looseObject({ user_id: z.string().max(MAX_NAME).nullish() }).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
});

export type MessageRequest = z.infer<typeof messageRequest>;
