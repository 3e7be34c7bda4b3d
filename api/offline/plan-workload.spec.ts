import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsSchema } from '../../config/schema';
import { OfflineError } from './offline-error';
import { plan } from './plan';
import { type PlanFlags, workloadOf } from './plan-workload';

const directory = mkdtempSync(join(tmpdir(), 'soai-plan-'));
afterAll(() => rmSync(directory, { recursive: true }));

const settings = settingsSchema.parse({
  SYSTEM: {},
  PLUGINS: [
    { ID: 'up1', PACKAGE: 'openai-compatible', MAX_CONCURRENT_TASKS: 6 },
    { ID: 'local', PACKAGE: 'llama-cpp', MAX_CONCURRENT_TASKS: 2 },
  ],
  MODELS: { ROUTING: { QUEUE_CAPACITY: 32, MAX_RUNNING_TASKS_PER_OWNER: 3 } },
});

function file(text: string): PlanFlags {
  const path = join(directory, 'plan.yaml');
  writeFileSync(path, text);
  return { file: path };
}

/** The words of the refusal. */
function refusal(flags: PlanFlags, of = settings): string {
  try {
    workloadOf(flags, of);
  } catch (error) {
    expect(error).toBeInstanceOf(OfflineError);
    expect(error).toMatchObject({ exitCode: 2, code: 'invalid_workload' });
    return (error as Error).message;
  }
  throw new Error('it was taken');
}

test('plan: what is not said comes from the settings', () => {
  const { input, minutes, seed } = workloadOf({ rate: '2', service: '0.5' }, settings);
  expect([minutes, seed]).toEqual([60, 1]);
  expect(input.settings).toMatchObject({
    capacity: 32,
    hardLimit: 100_000,
    maxRunningPerOwner: 3,
    maxRunningLocalBackends: 1,
    aging: { standardMs: 25_000, flexMs: 120_000 },
    requestMs: 285_000,
    plugins: [
      { id: 'up1', maxConcurrentTasks: 6, local: false },
      { id: 'local', maxConcurrentTasks: 2, local: true, oneModelAtATime: true },
    ],
  });
  expect(input.streams).toEqual([
    {
      name: 'requests',
      pluginId: 'up1',
      modelId: 'model',
      priority: 'standard',
      owners: 1,
      ratePerSec: 2,
      serviceMs: 500,
      distribution: 'exponential',
      spread: 1,
    },
  ]);
});

test('plan: flags about the whole win over the file', () => {
  const told =
    'MINUTES: 5\nQUEUE_CAPACITY: 8\nWORKLOAD:\n  - { NAME: chat, PLUGIN: local, RATE_PER_SEC: 1, SERVICE_SEC: 2 }\n';
  const { input, minutes } = workloadOf({ ...file(told), minutes: '10' }, settings);
  expect(minutes).toBe(10);
  expect(input.settings.capacity).toBe(8);
  expect(input.streams).toMatchObject([{ name: 'chat', pluginId: 'local' }]);
});

test.each([
  ['neither a rate nor a file', {}, /--rate and --service.*--file/],
  ['a rate that is no number', { rate: 'fast', service: '1' }, /^WORKLOAD\[0\]\.RATE_PER_SEC: /],
  ['a service time of nothing', { rate: '1', service: '0' }, /^WORKLOAD\[0\]\.SERVICE_SEC: /],
  ['an unknown plugin', { rate: '1', service: '1', plugin: 'up9' }, /'up9' is not known; known: up1, local/],
  ['half an owner', { rate: '1', service: '1', owners: '0.5' }, /^WORKLOAD\[0\]\.OWNERS: /],
  ['more than can be lived through', { rate: '1000', service: '1' }, /about 3600000 requests.*fewer minutes/],
] as const)('plan: %s is refused in words', (_, flags, words) => {
  expect(refusal(flags)).toMatch(words);
});

test.each([
  ['a file that is not there', { file: join(directory, 'none.yaml') }, /none\.yaml: /],
  ['a file and a rate', { file: 'any.yaml', rate: '1' }, /--rate: the file says that/],
])('plan: %s is refused in words', (_, flags, words) => {
  expect(refusal(flags)).toMatch(words);
});

test('plan: every fault of a file is named with its place', () => {
  const words = refusal(file('WORKLOAD:\n  - { RATE_PER_SEC: -1, SERVICE_SEC: 1, SPEED: 3 }\nMINUTE: 5\n'));
  expect(words).toMatch(/WORKLOAD\[0\]\.RATE_PER_SEC: /);
  expect(words).toMatch(/SPEED/);
  expect(words).toMatch(/MINUTE/);
  expect(refusal(file('- 1\n'))).toMatch(/a map with WORKLOAD is expected/);
  expect(refusal(file('WORKLOAD: [\n'))).toMatch(/plan\.yaml: /);
});

test('plan: without any plugin it says where one can be named', () => {
  expect(refusal({ rate: '1', service: '1' }, settingsSchema.parse({ SYSTEM: {} }))).toMatch(/no plugin is known/);
});

test('plan: the report is complete and rounded', () => {
  const report = plan({ rate: '8', service: '1', limit: '4', capacity: '4', owners: '3', minutes: '10' }, settings);
  expect(report).toMatchObject({ minutes: 10, seed: 1, plugins: [{ id: 'plugin', max_concurrent_tasks: 4 }] });
  expect(report.plugins[0]!.offered).toBe(8);
  expect(report.streams[0]!.refused.queue_full).toBeGreaterThan(0);
  expect(report.binding_limit).toMatchObject({ setting: 'MAX_CONCURRENT_TASKS', plugin: 'plugin' });
  expect(report.fairness).toBeGreaterThan(0.9);
  expect(JSON.stringify(report)).not.toMatch(/\d\.\d{4}/);
});
