/** Answers as the contract has them; each is checked against its schema. */
import * as contract from '../../api/contract/management';
import { pluginDetail as pluginDetailSchema } from '../../api/contract/plugins';
import { usageSums } from '../../api/contract/usage';
import * as files from '../../api/contract/model-files';
import * as models from '../../api/contract/models';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

export const health = contract.health.parse({
  status: 'ok',
  reasons: [],
  version: '0.1.0',
  uptime_sec: 3700,
  engine: 'up',
  queue: { waiting: 1, running: 2, deferred: 3 },
});

export const degraded = contract.health.parse({
  ...health,
  status: 'degraded',
  reasons: [{ code: 'engine_down', message: 'The workflow engine does not answer.' }],
  engine: 'down',
});

export const info = contract.systemInfo.parse({
  version: '0.1.0',
  started_at: NOW,
  data_dir: '/srv/soai',
  database: 'sqlite',
  engine: { state: 'up', address: '127.0.0.1:7233', namespace: 'soai', console_url: 'http://127.0.0.1:8233' },
  addresses: ['http://127.0.0.1:8420'],
});

export const task = contract.task.parse({
  id: 'task_1',
  operation: 'chat',
  state: 'failed',
  reason: 'upstream_timeout',
  message: 'The backend did not answer in time.',
  owner: { kind: 'key', id: 'key_1' },
  account: 'admin',
  model: 'm1',
  served_by: { model: 'm1', plugin: 'up1' },
  priority: 'standard',
  stream: true,
  background: false,
  request_id: 'req_1',
  accepted_at: NOW,
  started_at: NOW + 500,
  finished_at: NOW + 2_500,
  deadline_at: NOW + 285_000,
  takeovers: 0,
  bad_lines: 0,
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cached_tokens: null, reasoning_tokens: null },
  first_token_ms: 700,
  tokens_per_second: null,
  queue_ms: 500,
  queue_position: null,
  estimated_wait_ms: null,
  console_url: 'http://127.0.0.1:8233/namespaces/soai/workflows/task_1',
});

export const taskDetail = contract.taskDetail.parse({
  ...task,
  plan: [
    { model: 'm1', plugin: 'up1', dropped: null },
    { model: 'm2', plugin: 'up2', dropped: 'circuit_open' },
  ],
  attempts: [
    {
      number: 1,
      model: 'm1',
      plugin: 'up1',
      started_at: NOW + 500,
      finished_at: NOW + 2_500,
      outcome: 'transient',
      code: 'upstream_timeout',
      http_status: null,
      message: 'no answer within 180 s',
      retry_delay_ms: 1_500,
    },
  ],
  workflow: { id: 'task_1', namespace: 'soai' },
});

export const queue = contract.queueSnapshot.parse({
  capacity: 1024,
  waiting: 3,
  running: 2,
  deferred: 1,
  by_priority: { high: 0, standard: 2, flex: 1 },
  oldest_wait_ms: 1234,
});

export const model = models.model.parse({
  id: 'm1',
  plugin: 'up1',
  upstream_model: 'fake',
  aliases: ['fast'],
  capabilities: ['chat', 'tools'],
  modalities: ['text'],
  context_tokens: 8192,
  enabled: true,
  origin: 'config',
  defined_in: { place: '/srv/soai.yaml:12', applied_by: 'restart' },
  virtual_models: ['team'],
  available: true,
  reason: null,
});

export const virtualModel = models.virtualModel.parse({
  name: 'my team',
  strategy: 'failover',
  members: ['m1', 'm2'],
  member_states: [
    { model: 'm1', plugin: 'up1', eligible: true, code: null, reason: null, until: null },
    { model: 'm2', plugin: 'up2', eligible: false, code: 'cooldown', reason: 'it failed a moment ago.', until: NOW },
  ],
  capabilities: ['chat', 'tools'],
  modalities: ['text'],
  context_tokens: null,
  enabled: true,
  origin: 'api',
  defined_in: null,
  cooldown_until: null,
  created_at: NOW,
  updated_at: NOW,
});

export const modelFile = files.modelFile.parse({
  name: 'm.gguf',
  size_bytes: 98 * 1024 * 1024,
  modified_at: NOW,
  fault: null,
  architecture: 'llama',
  quantisation: 'Q4_1',
  parameters: 134_515_008,
  context_tokens: 8192,
  has_chat_template: true,
  models: ['m1'],
});

export const download = files.download.parse({
  id: 'download_1',
  plugin: 'local',
  file: 'm.gguf',
  url: 'https://models.example/m.gguf',
  state: 'running',
  received_bytes: 1024 * 1024,
  total_bytes: 4 * 1024 * 1024,
  reason: null,
  message: null,
  created_at: NOW,
  finished_at: null,
});

export const plugin = contract.plugin.parse({
  id: 'up1',
  package: 'openai-compatible',
  version: '1.0.0',
  title: 'OpenAI-compatible',
  origin: 'config',
  enabled: true,
  cloned_from: null,
  draining: false,
  loaded_model: null,
  local: false,
  max_concurrent_tasks: 8,
  running: 2,
  waiting: 1,
  compatibility: { state: 'compatible', reason: null },
  backend: { state: 'running', reason: null },
  worker: { state: 'busy', reason: null },
  quarantine: { state: 'none', reason: null, since: null },
  circuit: { state: 'closed', failure_count: 1, last_failure_at: NOW, retry_at: null },
  flapping: false,
  recovery_attempts: 0,
  last_ping_at: NOW,
});

export const pluginDetail = pluginDetailSchema.parse({
  ...plugin,
  settings: { BASE_URL: 'http://127.0.0.1:9100/v1' },
  secrets: ['API_KEY'],
  settings_schema: null,
  idle_unload_sec: 0,
  preload: false,
  read_only: 'Defined in soai.yaml:7.',
  package_digest: null,
  models: ['m1'],
});

export const usage = usageSums.parse({
  model: 'm1',
  plugin: null,
  requests: 4,
  completed: 3,
  failed: 1,
  cancelled: 0,
  attempts: 5,
  prompt_tokens: 100,
  completion_tokens: 60,
  cached_tokens: 0,
  reasoning_tokens: 0,
  mean_queue_ms: 1_200,
  mean_first_token_ms: null,
  tokens_per_second: 20,
});

export const key = contract.apiKey.parse({
  id: 'key_1',
  name: 'laptop',
  account: 'admin',
  prefix: 'sk-soai-ab',
  created_at: NOW,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
});

export const createdKey = contract.createdKey.parse({ ...key, key: 'sk-soai-abcdef' });

export const page = <T>(...data: T[]) => ({ data, next_cursor: null });
