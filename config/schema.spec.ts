import { settingsSchema } from './schema';
import { entriesOf, type Entry } from './reference/walk';

test('the defaults are those of the specification', () => {
  expect(settingsSchema.parse({})).toEqual({
    SYSTEM: { PATHS: { SYSTEM_DATA: null } },
    SERVER: {
      HOST: '127.0.0.1',
      PORT: 8420,
      MAX_BODY_BYTES: 32 * 1024 ** 2,
      SHUTDOWN_DRAIN_SEC: 15,
      TRUSTED_PROXIES: [],
      KEEP_ALIVE_COMMENT_SEC: 15,
    },
    LOG: { LEVEL: 'info', FORMAT: 'auto' },
    DATABASE: { TYPE: 'sqlite', URL: null },
    TEMPORAL: { ADDRESS: null, NAMESPACE: 'soai', BINARY: null },
    WEBHOOK: { URL: null, SECRET: null, TIMEOUT_SEC: 5, TRIES: 5, RETRY_DELAY_SEC: 2 },
    PLUGINS: [],
    MODELS: {
      CATALOG: [],
      ROUTING: {
        QUEUE_CAPACITY: 1024,
        DURABLE_QUEUE_HARD_LIMIT_TASKS: 100_000,
        MIN_FREE_DISK_BYTES_FOR_ACCEPT: 1024 ** 3,
        MAX_REQUEST_BYTES_IN_MEMORY: 256 * 1024 ** 2,
        MAX_RUNNING_LOCAL_BACKENDS: 1,
        MAX_RUNNING_TASKS_PER_OWNER: 0,
        STANDARD_PRIORITY_AGING_SEC: 25,
        FLEX_PRIORITY_AGING_SEC: 120,
        DURABLE_QUEUE_LEASE_TTL_SEC: 30,
        DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 5,
        FAIR_TASK_ROTATION: true,
        VIRTUAL_MODEL_TRIES_PER_MEMBER: 1,
        IDEMPOTENCY_TTL_SEC: 86_400,
        VIRTUAL_MODELS: [],
        TIMEOUTS: {
          CONNECT_SEC: 10,
          FIRST_BYTE_SEC: 180,
          STREAM_IDLE_SEC: 120,
          REQUEST_SEC: 285,
          STREAM_SEC: 3600,
          BACKGROUND_SEC: 86_400,
        },
        RETRY: { BASE_DELAY_SEC: 1, MAX_DELAY_SEC: 30, TRANSIENT_RETRIES: 3, RATE_LIMIT_CALLS: 10, MAX_CALLS: 13 },
        HEALTH_CHECKS: {
          FAILURE_WINDOW_SEC: 1440,
          FAILURE_THRESHOLD: 3,
          RECOVERY_TIMEOUT_SEC: 1440,
          RESTART_DELAY_SEC: 1,
          PERSIST_SEC: 15,
          INTERVAL_SEC: 20,
          PING_TIMEOUT_SEC: 15,
          TRANSITIONAL_TIMEOUT_SEC: 900,
          FLAPPING_WINDOW_SEC: 300,
          FLAPPING_MIN_TRANSITIONS: 6,
          MAX_RECOVERY_ATTEMPTS: 3,
          VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: 15,
        },
      },
    },
  });
});

const all = (entries: readonly Entry[]): Entry[] => entries.flatMap((entry) => [entry, ...all(entry.children)]);

test('every setting has a description, and every value says what applies a change of it', () => {
  for (const entry of all(entriesOf(settingsSchema))) {
    expect([entry.path, entry.description.length > 5]).toEqual([entry.path, true]);
    if (entry.kind === 'value') expect([entry.path, entry.meta.reload]).toEqual([entry.path, 'restart']);
  }
});

test('every time is named _SEC and every size _BYTES, and no other setting is', () => {
  for (const { name, meta } of all(entriesOf(settingsSchema))) {
    expect([name, meta.unit === 'seconds']).toEqual([name, name.endsWith('_SEC')]);
    expect([name, meta.unit === 'bytes']).toEqual([name, name.includes('_BYTES')]);
  }
});

const namesPath = { CATALOG: (ID: string) => ({ MODELS: { CATALOG: [{ ID, PLUGIN: 'p', UPSTREAM_MODEL: 'u' }] } }) };

test.each(['../x', 'a/../b', '', ' ', '...', '-', 'a\u0000b', 'a\nb', ' a', 'é', 'a'.repeat(129)])(
  'S6: the model id %j is refused',
  (id) => expect(settingsSchema.safeParse(namesPath.CATALOG(id)).success).toBe(false),
);

test.each(['m1', 'org/model-7B', 'llama3:8b', 'GPT 4.1', 'a_b@c+d'])('a model may be called %j', (id) =>
  expect(settingsSchema.safeParse(namesPath.CATALOG(id)).success).toBe(true),
);

test.each([
  ['team', true],
  [' Team 1/a_b.c-d ', true],
  ['--', false],
  ['a..b', false],
  ['a:b', false],
  ['a'.repeat(129), false],
])('D2: the virtual model name %j is taken: %s', (NAME, good) => {
  const VIRTUAL_MODELS = [{ NAME, STRATEGY: 'failover', MEMBERS: ['a', 'b'] }];
  const parsed = settingsSchema.safeParse({ MODELS: { ROUTING: { VIRTUAL_MODELS } } });
  expect(parsed.success).toBe(good);
  expect(parsed.data?.MODELS.ROUTING.VIRTUAL_MODELS[0]?.NAME).toBe(good ? NAME.trim() : undefined);
});

test.each([
  [{ SERVER: { HOST: '::' } }, true],
  [{ SERVER: { HOST: 'gpu-box.lan' } }, true],
  [{ SERVER: { HOST: '127.0.0.1:80' } }, false],
  [{ SERVER: { TRUSTED_PROXIES: ['10.0.0.0/33'] } }, false],
  [{ SERVER: { TRUSTED_PROXIES: ['fd00::/8', '10.1.2.3'] } }, true],
  [{ TEMPORAL: { ADDRESS: 'temporal.lan:7233' } }, true],
  [{ TEMPORAL: { ADDRESS: 'http://temporal' } }, false],
  [{ DATABASE: { URL: 'mysql://x' } }, false],
  [{ LOG: { LEVEL: 'loud' } }, false],
  [{ MODELS: { ROUTING: { TIMEOUTS: { REQUEST_SEC: 0 } } } }, false],
  [{ MODELS: { ROUTING: { TIMEOUTS: { REQUEST_SEC: 1e9 } } } }, false],
  [{ MODELS: { ROUTING: { ADMISSION_WAIT_SEC: 10 } } }, false],
])('%j is accepted: %s', (input, good) => expect(settingsSchema.safeParse(input).success).toBe(good));
