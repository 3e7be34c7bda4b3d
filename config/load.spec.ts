import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatFault } from './fault';
import { loadSettings, type LoadInput } from './load';
import { settingsSchema } from './schema';

let cwd: string;
let file: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'soai-config-'));
  file = join(cwd, 'soai.yaml');
});

afterEach(() => rmSync(cwd, { recursive: true }));

function load(yaml: string | null, input: Partial<LoadInput> = {}) {
  if (yaml !== null) writeFileSync(file, yaml);
  return loadSettings({ env: { HOME: cwd }, cwd, ...input });
}

function loaded(yaml: string | null, input: Partial<LoadInput> = {}) {
  const result = load(yaml, input);
  if (!result.ok) throw new Error(result.faults.map(formatFault).join('\n'));
  return result;
}

function faultsOf(yaml: string | null, input: Partial<LoadInput> = {}): string[] {
  const result = load(yaml, input);
  return result.ok ? [] : result.faults.map((fault) => formatFault(fault).replaceAll(`${cwd}/`, ''));
}

test('J: without a file every setting has its default', () => {
  const { settings, file: found, origins } = loaded(null);
  expect(found).toBeNull();
  expect(settings).toEqual({
    ...settingsSchema.parse({}),
    SYSTEM: { PATHS: { SYSTEM_DATA: join(cwd, '.local/share/soai') } },
  });
  expect(new Set(Object.values(origins).map(({ source }) => source))).toEqual(new Set(['default']));
});

test("J: the specification's own example loads", () => {
  const { settings, warnings } = loaded(`
SYSTEM: { PATHS: { SYSTEM_DATA: ./data } }
SERVER: { HOST: 127.0.0.1, PORT: 8420 }
DATABASE: { TYPE: sqlite }
TEMPORAL: { ADDRESS: null, NAMESPACE: soai }
PLUGINS:
  - { ID: up1, PACKAGE: openai-compatible, SETTINGS: { BASE_URL: http://127.0.0.1:9100/v1, API_KEY: sk-x }, MAX_CONCURRENT_TASKS: 8 }
MODELS:
  CATALOG:
    - { ID: m1, PLUGIN: up1, UPSTREAM_MODEL: fake, ALIASES: [], CAPABILITIES: [chat, tools], MODALITIES: [text] }
    - { ID: m2, PLUGIN: up1, UPSTREAM_MODEL: fake2 }
  ROUTING:
    QUEUE_CAPACITY: 1024
    VIRTUAL_MODELS: [ { NAME: team, STRATEGY: failover, MEMBERS: [m1, m2] } ]
    HEALTH_CHECKS: { FAILURE_THRESHOLD: 3, RECOVERY_TIMEOUT_SEC: 1440, INTERVAL_SEC: 20 }
`);
  expect(warnings).toEqual([]);
  expect(settings.PLUGINS[0]).toMatchObject({ ID: 'up1', ENABLED: true });
  expect(settings.MODELS.CATALOG[1]).toMatchObject({ CAPABILITIES: ['chat'], MODALITIES: ['text'], ALIASES: [] });
  expect(settings.SYSTEM.PATHS.SYSTEM_DATA).toBe(join(cwd, 'data'));
});

test('J: times accept fractions', () => {
  const yaml = 'MODELS: { ROUTING: { DURABLE_QUEUE_LEASE_TTL_SEC: 0.5, DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 0.05 } }';
  expect(loaded(yaml).settings.MODELS.ROUTING.DURABLE_QUEUE_LEASE_TTL_SEC).toBe(0.5);
});

test('J: a flag goes before the environment, it before the file, it before the default', () => {
  const { settings, origins } = loaded('SERVER:\n  HOST: 127.0.0.2\n  PORT: 1001\n  MAX_BODY_BYTES: 2000\n', {
    env: { HOME: cwd, SOAI__SERVER__PORT: '1002', SOAI__SERVER__MAX_BODY_BYTES: '3000' },
    flags: { set: [{ flag: '--port', path: 'SERVER.PORT', value: '1003' }] },
  });
  expect(settings.SERVER).toMatchObject({ HOST: '127.0.0.2', PORT: 1003, MAX_BODY_BYTES: 3000 });
  expect(origins['SERVER.HOST']).toEqual({ source: 'file', file, line: 2 });
  expect(origins['SERVER.PORT']).toEqual({ source: 'flag', name: '--port' });
  expect(origins['SERVER.MAX_BODY_BYTES']).toEqual({ source: 'env', name: 'SOAI__SERVER__MAX_BODY_BYTES' });
  expect(origins['SERVER.SHUTDOWN_DRAIN_SEC']).toEqual({ source: 'default' });
});

test('D8: the line of a virtual model defined in the file is known', () => {
  const yaml = `MODELS:
  ROUTING:
    VIRTUAL_MODELS:
      - { NAME: team, STRATEGY: failover, MEMBERS: [a, b] }
      - { NAME: crew, STRATEGY: failover, MEMBERS: [a, b] }
`;
  expect(loaded(yaml).origins['MODELS.ROUTING.VIRTUAL_MODELS.1']).toEqual({ source: 'file', file, line: 5 });
});

test('J: all faults are listed at once, each at its line', () => {
  const yaml = `SERVER:
  PROT: 1
  PORT: "x"
LOG: { LEVEL: debgu }
DATABASE: { TYPE: postgres }
QUEUE_CAPACITY: 3
PLUGINS:
  - { ID: up1, PACKAGE: openai-compatible, MAX_CONCURRENT_TASKS: 0 }
  - { ID: UP1, PACKAGE: command }
MODELS:
  CATALOG:
    - { ID: m1, PLUGIN: up1, UPSTREAM_MODEL: a, CAPABILITIES: [chta] }
    - { ID: M1, PLUGIN: up1 }
  ROUTING:
    TIMEOUTS: 5
    HEALTH_CHECKS: { FAILURE_THRESHOLD: 0.5, INTERVAL_SEC: .inf }
`;
  expect(faultsOf(yaml, { env: { HOME: cwd, SOAI__LOG__FORMAT: 'xml', SOAI__SERVER__HOTS: 'a' } })).toEqual([
    'soai.yaml:2:3: SERVER.PROT: unknown setting; did you mean PORT?',
    'soai.yaml:3:9: SERVER.PORT: must be a number, not text',
    'soai.yaml:4:15: LOG.LEVEL: must be one of trace, debug, info, warn, error, fatal, silent; did you mean debug?',
    'soai.yaml:5:1: DATABASE.URL: is required with DATABASE.TYPE postgres',
    'soai.yaml:6:1: QUEUE_CAPACITY: unknown setting; it belongs in MODELS.ROUTING',
    'soai.yaml:8:66: PLUGINS.0.MAX_CONCURRENT_TASKS: must be at least 1',
    'soai.yaml:9:11: PLUGINS.1.ID: UP1 is taken already by PLUGINS.0.ID',
    'soai.yaml:12:64: MODELS.CATALOG.0.CAPABILITIES.0: must be one of chat, completions, embeddings, responses, tools, json_schema, reasoning; did you mean chat?',
    'soai.yaml:13:7: MODELS.CATALOG.1.UPSTREAM_MODEL: is required',
    'soai.yaml:15:15: MODELS.ROUTING.TIMEOUTS: must be a group of settings, not a number',
    'soai.yaml:16:41: MODELS.ROUTING.HEALTH_CHECKS.FAILURE_THRESHOLD: must be a whole number, not 0.5',
    'soai.yaml:16:60: MODELS.ROUTING.HEALTH_CHECKS.INTERVAL_SEC: must be a number, not Infinity',
    'SOAI__SERVER__HOTS: SERVER.HOTS: unknown setting; did you mean HOST?',
    'SOAI__LOG__FORMAT: LOG.FORMAT: must be one of auto, json, text',
  ]);
});

test.each([
  ['SERVER: [', /^soai\.yaml:1:\d+: YAML: /],
  ['SERVER: { PORT: 1 }\nSERVER: { PORT: 2 }', /^soai\.yaml:2:1: SERVER is given twice$/],
  ['- 1', /^soai\.yaml:1:1: must hold settings/],
  ['just text', /^soai\.yaml:1:1: must hold settings/],
  ['A: 1\n---\nB: 2', /^soai\.yaml:2:1: holds more than one YAML document$/],
  ['SERVER: *nowhere', /^soai\.yaml:1:9: \*nowhere has no anchor/],
  ['__proto__: { PORT: 1 }', /^soai\.yaml:1:1: __proto__: unknown setting/],
])('J: a file that is no settings (%j) is a fault with its place', (yaml, expected) => {
  const faults = faultsOf(yaml);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(expected);
});

test('J: a syntax error never quotes the line, which may hold a secret', () => {
  expect(faultsOf('PLUGINS: [ { SETTINGS: { API_KEY: "sk-canary } } ]').join('\n')).not.toContain('canary');
});

test('J: hostile nesting and multiplying aliases are faults', () => {
  expect(faultsOf('['.repeat(50_000))[0]).toMatch(/^soai\.yaml/);
  const laughs = ['A: &a [x,x,x,x,x,x,x,x,x,x]'];
  for (const [from, to] of ['ab', 'bc', 'cd', 'de']) laughs.push(`${to}: &${to} [${`*${from},`.repeat(10)}]`);
  expect(faultsOf(laughs.join('\n'))).toEqual(['soai.yaml:1:1: has too many aliases']);
});

test('J: anchors and merge keys work and keep their lines', () => {
  const yaml = `PLUGINS:
  - &base { ID: a, PACKAGE: command, MAX_CONCURRENT_TASKS: 2 }
  - { <<: *base, ID: b }
`;
  const { settings, origins } = loaded(yaml);
  expect(settings.PLUGINS[1]).toMatchObject({ ID: 'b', PACKAGE: 'command', MAX_CONCURRENT_TASKS: 2 });
  expect(origins['PLUGINS.1.MAX_CONCURRENT_TASKS']?.line).toBe(2);
  expect(origins['PLUGINS.1.ID']?.line).toBe(3);
});

test('J: an empty file and an empty group are the defaults, an empty value is a fault', () => {
  expect(loaded('').settings.SERVER.PORT).toBe(8420);
  expect(loaded('# nothing\n').settings.SERVER.PORT).toBe(8420);
  expect(faultsOf('SERVER:\n  PORT:\n')).toEqual(['soai.yaml:2:8: SERVER.PORT: must be a number, not empty']);
});

test('J: a settings file that was named must exist; the search order is followed', () => {
  expect(faultsOf(null, { flags: { config: 'no.yaml' } })).toEqual(['no.yaml: no such file (named by --config)']);
  expect(faultsOf(null, { env: { SOAI_CONFIG: 'no.yaml' } })).toEqual(['no.yaml: no such file (named by SOAI_CONFIG)']);

  const inConfigHome = join(cwd, 'conf/soai/soai.yaml');
  mkdirSync(join(cwd, 'conf/soai'), { recursive: true });
  writeFileSync(inConfigHome, 'SERVER: { PORT: 1 }');
  const env = { XDG_CONFIG_HOME: join(cwd, 'conf') };
  expect(loaded(null, { env }).file).toBe(inConfigHome);
  expect(loaded('SERVER: { PORT: 2 }', { env }).file).toBe(file);

  const other = join(cwd, 'other.yaml');
  writeFileSync(other, 'SERVER: { PORT: 3 }');
  expect(loaded(null, { env: { ...env, SOAI_CONFIG: other } }).settings.SERVER.PORT).toBe(3);
  expect(loaded(null, { env: { ...env, SOAI_CONFIG: other }, flags: { config: 'soai.yaml' } }).file).toBe(file);
});

test('J: a file that is a directory is a fault, not a crash', () => {
  expect(faultsOf(null, { flags: { config: '.' } })[0]).toMatch(/cannot be read \(EISDIR\)$/);
});

test('J: relative paths count from what gives them', () => {
  mkdirSync(join(cwd, 'etc'));
  writeFileSync(
    join(cwd, 'etc/soai.yaml'),
    'SYSTEM: { PATHS: { SYSTEM_DATA: ./data } }\nTEMPORAL: { BINARY: bin/temporal }',
  );
  const flags = { config: 'etc/soai.yaml' };
  const fromFile = loaded(null, { flags }).settings;
  expect(fromFile.SYSTEM.PATHS.SYSTEM_DATA).toBe(join(cwd, 'etc/data'));
  expect(fromFile.TEMPORAL.BINARY).toBe(join(cwd, 'etc/bin/temporal'));
  const env = { SOAI__SYSTEM__PATHS__SYSTEM_DATA: './data', SOAI__TEMPORAL__BINARY: 'temporal' };
  const fromEnv = loaded(null, { flags, env }).settings;
  expect(fromEnv.SYSTEM.PATHS.SYSTEM_DATA).toBe(join(cwd, 'data'));
  expect(fromEnv.TEMPORAL.BINARY).toBe('temporal');
  const home = loaded('SYSTEM: { PATHS: { SYSTEM_DATA: ~/soai } }').settings;
  expect(home.SYSTEM.PATHS.SYSTEM_DATA).toBe(join(cwd, 'soai'));
});
