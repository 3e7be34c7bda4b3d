import type {
  Health,
  Plugin,
  QueueSnapshot,
  Session,
  SystemInfo,
  Task,
  TaskDetail,
} from '../../api/contract/management';

/** Contract-shaped answers; each takes what a test cares about and fills in a healthy rest. */

export function session(change: Partial<Session> = {}): Session {
  return {
    account: { id: 'acc-1', name: 'admin', role: 'administrator' },
    csrf: 'csrf-token-1',
    password_set: true,
    ...change,
  };
}

export function health(change: Partial<Health> = {}): Health {
  return {
    status: 'ok',
    reasons: [],
    version: '0.1.0',
    uptime_sec: 11_040,
    engine: 'up',
    queue: { waiting: 0, running: 0, deferred: 0 },
    ...change,
  };
}

export function queue(change: Partial<QueueSnapshot> = {}): QueueSnapshot {
  return {
    capacity: 1024,
    waiting: 0,
    running: 0,
    deferred: 0,
    by_priority: { high: 0, standard: 0, flex: 0 },
    oldest_wait_ms: null,
    ...change,
  };
}

export function systemInfo(change: Partial<SystemInfo> = {}): SystemInfo {
  return {
    version: '0.1.0',
    started_at: Date.now() - 11_040_000,
    data_dir: '/var/lib/soai',
    database: 'sqlite',
    engine: { state: 'up', address: '127.0.0.1:7233', namespace: 'soai', console_url: 'http://127.0.0.1:8233' },
    addresses: ['http://127.0.0.1:8420'],
    ...change,
  };
}

export function plugin(change: Partial<Plugin> = {}): Plugin {
  return {
    id: 'local',
    package: 'llama-cpp',
    version: '0.1.0',
    title: 'Models on this machine',
    origin: 'config',
    enabled: true,
    local: true,
    cloned_from: null,
    draining: false,
    loaded_model: null,
    max_concurrent_tasks: 1,
    running: 0,
    waiting: 0,
    compatibility: { state: 'compatible', reason: null },
    backend: { state: 'running', reason: null },
    worker: { state: 'idle', reason: null },
    quarantine: { state: 'none', reason: null, since: null },
    circuit: { state: 'closed', failure_count: 0, last_failure_at: null, retry_at: null },
    flapping: false,
    recovery_attempts: 0,
    last_ping_at: null,
    ...change,
  };
}

let taskNumber = 0;

export function task(change: Partial<TaskDetail> = {}): TaskDetail {
  taskNumber += 1;
  const id = change.id ?? `task-${String(taskNumber).padStart(4, '0')}`;
  const acceptedAt = change.accepted_at ?? Date.now() - 60_000;
  return {
    id,
    operation: 'chat',
    state: 'completed',
    reason: null,
    message: null,
    owner: { kind: 'account', id: 'acc-1' },
    account: 'admin',
    model: 'smollm2',
    served_by: { model: 'smollm2', plugin: 'local' },
    priority: 'standard',
    stream: true,
    background: false,
    request_id: `req-${id}`,
    accepted_at: acceptedAt,
    started_at: acceptedAt + 40,
    finished_at: acceptedAt + 2_340,
    deadline_at: acceptedAt + 285_000,
    takeovers: 0,
    bad_lines: 0,
    usage: { prompt_tokens: 31, completion_tokens: 57, total_tokens: 88, cached_tokens: null, reasoning_tokens: null },
    first_token_ms: 210,
    tokens_per_second: null,
    queue_ms: 40,
    queue_position: null,
    estimated_wait_ms: null,
    console_url: `http://127.0.0.1:8233/namespaces/soai/workflows/${id}`,
    plan: [{ model: 'smollm2', plugin: 'local', dropped: null }],
    attempts: [
      {
        number: 1,
        model: 'smollm2',
        plugin: 'local',
        started_at: acceptedAt + 40,
        finished_at: acceptedAt + 2_340,
        outcome: 'ok',
        code: null,
        http_status: 200,
        message: null,
        retry_delay_ms: null,
      },
    ],
    workflow: { id, namespace: 'soai' },
    ...change,
  };
}

/** What list and events carry of a task. */
export function summary(detail: TaskDetail): Task {
  const { plan: _plan, attempts: _attempts, workflow: _workflow, ...rest } = detail;
  return rest;
}
