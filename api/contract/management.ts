/**
 * The management API's shapes (`/api/v1`), one zod schema each: they validate, generate the
 * reference, and type the WebUI and the CLI. Field names are snake_case on the wire.
 */
import { z } from 'zod';
import { download } from './model-files';

export const taskState = z.enum(['queued', 'deferred', 'running', 'completed', 'failed', 'cancelled']);

export const healthReason = z.object({
  code: z.string().meta({ description: 'Machine-readable, stable.' }),
  message: z.string().meta({ description: 'What is wrong and what to do.' }),
});

/** C9. Needs no authentication, so it names no plugin, model or account. */
export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  reasons: z.array(healthReason),
  version: z.string(),
  uptime_sec: z.number(),
  engine: z.enum(['up', 'starting', 'down']),
  queue: z.object({ waiting: z.number(), running: z.number(), deferred: z.number() }),
});

export const target = z.object({ model: z.string(), plugin: z.string() });

export const attempt = z.object({
  number: z.number(),
  model: z.string(),
  plugin: z.string(),
  started_at: z.number(),
  finished_at: z.number().nullable(),
  outcome: z.enum(['running', 'ok', 'transient', 'rate_limited', 'fatal', 'cancelled', 'lost']),
  code: z.string().nullable(),
  http_status: z.number().nullable(),
  message: z.string().nullable(),
  retry_delay_ms: z.number().nullable(),
});

export const task = z.object({
  id: z.string(),
  operation: z.enum(['chat', 'completions', 'embeddings', 'responses', 'messages']),
  state: taskState,
  reason: z.string().nullable(),
  message: z.string().nullable(),
  owner: z.object({ kind: z.enum(['account', 'automation', 'key']), id: z.string() }),
  account: z.string(),
  model: z.string(),
  served_by: target.nullable(),
  priority: z.enum(['high', 'standard', 'flex']),
  stream: z.boolean(),
  background: z.boolean(),
  request_id: z.string(),
  accepted_at: z.number().meta({ description: 'Milliseconds since the epoch, as are all times.' }),
  started_at: z.number().nullable(),
  finished_at: z.number().nullable(),
  deadline_at: z.number(),
  takeovers: z.number(),
  bad_lines: z.number(),
  usage: z
    .object({
      prompt_tokens: z.number().nullable(),
      completion_tokens: z.number().nullable(),
      total_tokens: z.number().nullable(),
      cached_tokens: z.number().nullable(),
      reasoning_tokens: z.number().nullable(),
    })
    .nullable(),
  first_token_ms: z.number().nullable(),
  tokens_per_second: z
    .number()
    .nullable()
    .meta({ description: 'Of an ended stream, from its first content to its end.' }),
  queue_ms: z.number().nullable(),
  queue_position: z
    .number()
    .nullable()
    .meta({ description: 'Requests before it in the ready queue; null when it is not waiting there.' }),
  estimated_wait_ms: z.number().nullable().meta({
    description:
      'How long it is likely to wait still, by the recent service times of its plugin; null when it does not wait or nothing has run there yet.',
  }),
  console_url: z.string().nullable().meta({ description: 'Its workflow in the Temporal console.' }),
});

/** One task whole: GET /api/v1/tasks/{id}. */
export const taskDetail = task.extend({
  plan: z.array(target.extend({ dropped: z.string().nullable() })),
  attempts: z.array(attempt),
  workflow: z.object({ id: z.string(), namespace: z.string() }),
});

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  account: z.string(),
  prefix: z.string(),
  created_at: z.number(),
  expires_at: z.number().nullable(),
  revoked_at: z.number().nullable(),
  last_used_at: z.number().nullable(),
});

export const createKey = z.strictObject({
  name: z.string().trim().min(1).max(128),
  account: z.string().optional().meta({ description: 'Account name; the caller by default.' }),
  expires_at: z.number().int().positive().optional(),
});

/** The only answer that ever holds a key. */
export const createdKey = apiKey.extend({ key: z.string() });

export const plugin = z.object({
  id: z.string(),
  package: z.string(),
  version: z.string(),
  title: z.string(),
  origin: z.enum(['config', 'database']),
  cloned_from: z.string().nullable(),
  enabled: z.boolean(),
  draining: z.boolean().meta({ description: 'It ends what it has and takes nothing new.' }),
  local: z.boolean(),
  loaded_model: z.string().nullable().meta({ description: 'In memory now, where it holds one at a time.' }),
  max_concurrent_tasks: z.number(),
  running: z.number(),
  waiting: z.number(),
  /** F5: five separate fields, never merged. */
  compatibility: z.object({ state: z.enum(['compatible', 'incompatible']), reason: z.string().nullable() }),
  backend: z.object({
    state: z.enum(['stopped', 'starting', 'running', 'stopping', 'error']),
    reason: z.string().nullable(),
  }),
  worker: z.object({ state: z.enum(['idle', 'busy', 'stopped']), reason: z.string().nullable() }),
  quarantine: z.object({
    state: z.enum(['none', 'quarantined', 'integrity']),
    reason: z.string().nullable(),
    since: z.number().nullable(),
  }),
  circuit: z.object({
    state: z.enum(['closed', 'open', 'half_open']),
    failure_count: z.number(),
    last_failure_at: z.number().nullable(),
    retry_at: z.number().nullable().meta({ description: 'When an open circuit admits one probe.' }),
  }),
  flapping: z.boolean().meta({ description: 'Its health has changed again and again of late.' }),
  recovery_attempts: z.number().meta({ description: 'Recoveries in a row that did not help.' }),
  last_ping_at: z.number().nullable().meta({ description: 'Its last successful health ping.' }),
});

export const queueSnapshot = z.object({
  capacity: z.number(),
  waiting: z.number(),
  running: z.number(),
  deferred: z.number(),
  by_priority: z.object({ high: z.number(), standard: z.number(), flex: z.number() }),
  oldest_wait_ms: z.number().nullable(),
});

export const session = z.object({
  account: z.object({ id: z.string(), name: z.string(), role: z.enum(['administrator', 'standard']) }),
  csrf: z.string().meta({ description: 'Send as x-soai-csrf with every changing request made with the cookie.' }),
  password_set: z.boolean(),
});

/** POST /api/v1/session: sign in, by password or by the one-time setup token. */
export const signIn = z.union([
  z.strictObject({ account: z.string().min(1).max(128), password: z.string().min(1).max(1024) }),
  z.strictObject({ setup_token: z.string().min(1).max(256), password: z.string().min(12).max(1024) }),
]);

/** What GET /api/v1/events sends, one SSE `data:` line each; `event:` equals `type`. */
export const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('health'), health }),
  z.object({ type: z.literal('queue'), queue: queueSnapshot }),
  z.object({ type: z.literal('task'), task }),
  z.object({ type: z.literal('plugin'), plugin }),
  z.object({ type: z.literal('download'), download }),
]);

/** Every management error. */
export const managementError = z.object({
  error: z.object({
    code: z.string().meta({ description: 'Machine-readable; the reference lists them all.' }),
    message: z.string(),
    hint: z.string().nullable().meta({ description: 'What the reader can do about it.' }),
    param: z.string().nullable().optional().meta({ description: 'The first parameter at fault.' }),
    faults: z
      .array(z.object({ subject: z.string().nullable(), code: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Every single fault, where several are judged together.' }),
    request_id: z.string(),
  }),
});

/** What GET /api/v1/system/info adds for signed-in people and the CLI. */
export const systemInfo = z.object({
  version: z.string(),
  started_at: z.number(),
  data_dir: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  engine: z.object({
    state: z.enum(['up', 'starting', 'down']),
    address: z.string(),
    namespace: z.string(),
    console_url: z.string().nullable(),
  }),
  addresses: z.array(z.string()),
});

export type Health = z.infer<typeof health>;
export type Task = z.infer<typeof task>;
export type TaskDetail = z.infer<typeof taskDetail>;
export type Attempt = z.infer<typeof attempt>;
export type ApiKey = z.infer<typeof apiKey>;
export type CreateKey = z.infer<typeof createKey>;
export type CreatedKey = z.infer<typeof createdKey>;
export type Plugin = z.infer<typeof plugin>;
export type QueueSnapshot = z.infer<typeof queueSnapshot>;
export type Session = z.infer<typeof session>;
export type SignIn = z.infer<typeof signIn>;
export type LiveEvent = z.infer<typeof liveEvent>;
export type ManagementError = z.infer<typeof managementError>;
export type SystemInfo = z.infer<typeof systemInfo>;
export interface List<T> {
  data: T[];
  next_cursor: string | null;
}
