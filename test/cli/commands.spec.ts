/** Every command that reads from the API, in each output format. */
import { FakeApi, sse } from './fake-api';
import { run } from './run';
import * as sample from './samples';

const hostile = { ...sample.model, id: 'evil\u001b]0;owned\u0007', available: false, reason: 'plugin\nstopped' };

let api: FakeApi;

beforeAll(async () => {
  api = await FakeApi.start({
    'GET /api/v1/system/health': sample.health,
    'GET /api/v1/system/info': sample.info,
    'GET /api/v1/tasks': {
      data: [sample.task, { ...sample.task, id: 'task_2', state: 'completed' }],
      next_cursor: 'c2',
    },
    'GET /api/v1/tasks/task_1': sample.taskDetail,
    'POST /api/v1/tasks/task_1/cancel': { ...sample.task, state: 'cancelled', reason: 'cancelled_by_user' },
    'GET /api/v1/tasks/task_1/response': { choices: [{ message: { role: 'assistant', content: 'Four.' } }] },
    'GET /api/v1/tasks/task_2/response': sse(['data: not json\n\n']),
    'GET /api/v1/queue': sample.queue,
    'GET /api/v1/usage': sample.page(sample.usage),
    'GET /api/v1/models': sample.page(sample.model, hostile),
    'GET /api/v1/plugins': sample.page(sample.plugin),
    'GET /api/v1/plugins/up1': sample.pluginDetail,
  });
});

afterAll(() => api.stop());

const soai = (...argv: string[]) => run(argv, { env: { SOAI_URL: api.url, SOAI_API_KEY: 'sk-test' } });

/** Command line, words its table must show, and what the JSON of it holds. */
const COMMANDS: [string, readonly (string | RegExp)[], unknown][] = [
  ['status', ['Health', 'ok', '127.0.0.1:7233', 'up 1h1m'], { ...sample.info, health: sample.health }],
  ['health', ['Health', 'ok', '1 waiting, 2 running, 3 deferred'], sample.health],
  ['task show task_1', ['upstream_timeout', 'circuit_open', /^ATTEMPT/m, '2026-01-02 03:04:05Z'], sample.taskDetail],
  ['task cancel task_1', ['cancelled', 'cancelled_by_user'], expect.objectContaining({ state: 'cancelled' })],
  ['task response task_1', [/^Four\.\n$/], expect.objectContaining({ choices: expect.any(Array) })],
  ['queue status', ['3 of 1024 places', '0 high, 2 standard, 1 flex', '1.2s'], sample.queue],
  [
    'workflow describe task_1',
    [
      'temporal workflow describe --workflow-id task_1 --namespace soai --address 127.0.0.1:7233',
      'http://127.0.0.1:8233/',
    ],
    expect.objectContaining({ workflow: { id: 'task_1', namespace: 'soai' }, console_url: sample.task.console_url }),
  ],
  [
    'plugin show up1',
    ['Compatibility', 'Backend', 'Worker', 'Quarantine', 'closed, 1 failures', 'API_KEY', 'soai.yaml:7'],
    sample.pluginDetail,
  ],
  ['version', [/^soai \d/], expect.objectContaining({ version: '0.1.0' })],
];

const LISTS: [string, readonly (string | RegExp)[], readonly unknown[]][] = [
  ['task list', [/^ID +STATE/, 'task_2', 'm1@up1', '2.0s'], ['task_1', 'task_2']],
  ['queue list', [/^BEFORE IT +ID/, 'WAIT, ABOUT', 'task_2'], ['task_1', 'task_2']],
  ['workflow list', [/^WORKFLOW +STATE/, 'task_1'], ['task_1', 'task_2']],
  ['usage --by model,plugin', [/^MODEL +PLUGIN +REQUESTS +FAILED/, '1.2s', '20.0'], ['m1']],
  ['model list', [/^MODEL +AVAILABLE/, 'chat,tools', 'no: plugin'], ['m1', hostile.id]],
  ['plugin list', [/^PLUGIN +PACKAGE +ENABLED +COMPATIBILITY +BACKEND +WORKER +QUARANTINE +CIRCUIT/, '2/8'], ['up1']],
];

test.each([...COMMANDS, ...LISTS])('J: soai %s prints a table', async (line, words) => {
  const { code, stdout } = await soai(...line.split(' '));
  expect(code).toBe(0);
  for (const word of words) expect(stdout).toMatch(word);
});

test.each(COMMANDS)('J: soai %s prints JSON, whole and on one line', async (line, _words, expected) => {
  const whole = await soai(...line.split(' '), '-o', 'json');
  expect([whole.code, JSON.parse(whole.stdout)]).toEqual([0, expected]);
  const oneLine = await soai('--output', 'jsonl', ...line.split(' '));
  expect(oneLine.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(oneLine.stdout)).toEqual(expected);
});

test.each(LISTS)('J: soai %s prints {data, next_cursor}, or an entry a line', async (line, _words, ids) => {
  const idOf = (entry: Record<string, unknown>) => entry.id ?? entry.workflow_id ?? entry.model;
  const whole = JSON.parse((await soai(...line.split(' '), '-o', 'json')).stdout) as {
    data: Record<string, unknown>[];
  };
  expect(whole).toHaveProperty('next_cursor');
  expect(whole.data.map(idOf)).toEqual(ids);
  const lines = (await soai(...line.split(' '), '-o', 'jsonl')).stdout.trimEnd().split('\n');
  expect(lines.map((each) => idOf(JSON.parse(each) as Record<string, unknown>))).toEqual(ids);
});

test('J: data is on stdout, talk on stderr: the next page is talk', async () => {
  const { stdout, stderr } = await soai('task', 'list');
  expect(stderr).toBe('More: add --cursor c2\n');
  expect(stdout).not.toContain('c2');
});

test('J: filters and pages are asked of the server', async () => {
  await soai('task', 'list', '--state', 'failed', '--model', 'a b', '--plugin', 'p', '--limit', '7', '--cursor', 'c&d');
  expect(api.asked.at(-1)).toMatchObject({
    url: '/api/v1/tasks?state=failed&model=a+b&plugin=p&limit=7&cursor=c%26d',
    authorization: 'Bearer sk-test',
  });
});

test('an id cannot reach another address', async () => {
  expect((await soai('task', 'show', '../plugins')).code).toBe(5);
  expect(api.asked.at(-1)?.url).toBe('/api/v1/tasks/..%2Fplugins');
});

test('S8: control characters of a name never reach the terminal', async () => {
  const { stdout } = await soai('model', 'list');
  expect(stdout).not.toMatch(/[\u001b\u0007]/);
  expect(stdout).toContain('evil\\u001b]0;owned\\u0007');
  expect(stdout).toContain('plugin\\u000astopped');
});

test('C7: a stored answer that is a stream is printed as it is, and refused as JSON', async () => {
  expect((await soai('task', 'response', 'task_2')).stdout).toBe('data: not json\n');
  expect((await soai('task', 'response', 'task_2', '-o', 'json')).code).toBe(1);
});

test('NO_COLOR, and colours on a terminal only', async () => {
  const env = { SOAI_URL: api.url };
  const escape = '\u001b[';
  expect((await run(['task', 'list'], { env, tty: true })).stdout).toContain(escape);
  expect((await run(['task', 'list'], { env: { ...env, NO_COLOR: '1' }, tty: true })).stdout).not.toContain(escape);
  expect((await run(['task', 'list'], { env })).stdout).not.toContain(escape);
});

test('a table fits the terminal, and is never cut elsewhere', async () => {
  const env = { SOAI_URL: api.url, NO_COLOR: '1' };
  const narrow = await run(['task', 'list'], { env, tty: true, columns: 60 });
  for (const line of narrow.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  expect(narrow.stdout).toContain('…');
  expect((await run(['task', 'list'], { env })).stdout).toContain('upstream_timeout');
});

test('a degraded server: health exits 1, status 0, both name the reason', async () => {
  const sick = await FakeApi.start({
    'GET /api/v1/system/health': sample.degraded,
    'GET /api/v1/system/info': sample.info,
  });
  const env = { SOAI_URL: sick.url };
  const health = await run(['health'], { env });
  expect([health.code, health.stdout]).toEqual([1, expect.stringContaining('engine_down: The workflow engine')]);
  const status = await run(['status'], { env });
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('engine_down')]);
  await sick.stop();
});
