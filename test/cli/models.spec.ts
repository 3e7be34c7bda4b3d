/** `soai model` and `soai virtual-model` (spec J, D8). */
import { FakeApi, json, refuse } from './fake-api';
import { run, start } from './run';
import * as sample from './samples';

const { model, virtualModel } = sample;
const removal = { removed: 'm1', taken_out_of: ['three'], disabled: ['two'], still_named_by: [], dry_run: false };
const virtualRemoval = { removed: 'my team', dry_run: false, kept_models: ['m1', 'm2'] };
const imported = { added: [model], skipped: [{ upstream_model: 'x', reason: 'It is there.' }] };

let api: FakeApi;
let env: Record<string, string>;

beforeAll(async () => {
  const one = '/api/v1/virtual-models/my%20team';
  api = await FakeApi.start({
    'GET /api/v1/models/m1': model,
    'POST /api/v1/models': json(201, model),
    'PATCH /api/v1/models/m1': model,
    'DELETE /api/v1/models/m1': (response, request) =>
      json(200, { ...removal, dry_run: request.url?.includes('dry_run') ?? false })(response),
    'DELETE /api/v1/models/fixed': refuse(409, 'defined_in_settings', 'It is defined at /etc/soai.yaml:7.'),
    'POST /api/v1/plugins/up1/models/import': imported,
    'GET /api/v1/virtual-models': sample.page(virtualModel),
    [`GET ${one}`]: virtualModel,
    'POST /api/v1/virtual-models': json(201, virtualModel),
    [`PATCH ${one}`]: virtualModel,
    [`POST ${one}/enable`]: virtualModel,
    [`POST ${one}/disable`]: { ...virtualModel, enabled: false },
    [`DELETE ${one}`]: virtualRemoval,
    'PATCH /api/v1/virtual-models/bad': refuse(422, 'members_rejected', "'m7' is disabled. 'm8' is unknown."),
  });
  env = { SOAI_URL: api.url, SOAI_API_KEY: 'sk-test' };
});
afterAll(() => api.stop());
beforeEach(() => void (api.asked.length = 0));

const soai = (...argv: string[]) => run(argv, { env });
const asked = () => api.asked.map(({ method, url, body }) => [method, url, body]);

/** Command line, words of its table, its JSON, and what it asked of the server. */
const COMMANDS: [string[], readonly (string | RegExp)[], unknown, unknown[]][] = [
  [
    ['virtual-model', 'show', 'my team'],
    ['failover', 'm1: eligible', 'm2: left out (cooldown): it failed a moment ago. Until 2026-01-02 03:04:05Z.'],
    virtualModel,
    [['GET', '/api/v1/virtual-models/my%20team', null]],
  ],
  [
    ['virtual-model', 'create', 'my team', 'm1', 'm2', '--strategy', 'load_balancing', '--disabled'],
    ['my team'],
    virtualModel,
    [
      [
        'POST',
        '/api/v1/virtual-models',
        { name: 'my team', strategy: 'load_balancing', members: ['m1', 'm2'], enabled: false },
      ],
    ],
  ],
  [
    ['virtual-model', 'edit', 'my team', 'm2', 'm1'],
    ['my team'],
    virtualModel,
    [['PATCH', '/api/v1/virtual-models/my%20team', { members: ['m2', 'm1'] }]],
  ],
  [
    ['virtual-model', 'edit', 'my team', '--strategy', 'failover'],
    ['my team'],
    virtualModel,
    [['PATCH', '/api/v1/virtual-models/my%20team', { strategy: 'failover' }]],
  ],
  [
    ['virtual-model', 'enable', 'my team'],
    [/Enabled +yes/],
    virtualModel,
    [['POST', '/api/v1/virtual-models/my%20team/enable', null]],
  ],
  [
    ['virtual-model', 'disable', 'my team'],
    [/Enabled +no/],
    { ...virtualModel, enabled: false },
    [['POST', '/api/v1/virtual-models/my%20team/disable', null]],
  ],
  [
    ['virtual-model', 'delete', 'my team', '--yes'],
    [/Deleted +my team/, /Kept models +m1, m2/],
    virtualRemoval,
    [
      ['DELETE', '/api/v1/virtual-models/my%20team?dry_run=true', null],
      ['DELETE', '/api/v1/virtual-models/my%20team', null],
    ],
  ],
  [
    ['model', 'show', 'm1'],
    [/Aliases +fast/, /Member of +team/, /Context +8192 tokens/, '/srv/soai.yaml:12'],
    model,
    [['GET', '/api/v1/models/m1', null]],
  ],
  [
    [
      'model',
      'add',
      'm1',
      '--plugin',
      'up1',
      '--upstream',
      'fake',
      '--capabilities',
      'chat, tools',
      '--context',
      '8192',
    ],
    [/Model +m1/],
    model,
    [
      [
        'POST',
        '/api/v1/models',
        {
          id: 'm1',
          plugin: 'up1',
          enabled: true,
          upstream_model: 'fake',
          capabilities: ['chat', 'tools'],
          context_tokens: 8192,
        },
      ],
    ],
  ],
  [
    ['model', 'edit', 'm1', '--aliases', '', '--modalities', 'text,image', '--context', 'unknown'],
    [/Model +m1/],
    model,
    [['PATCH', '/api/v1/models/m1', { aliases: [], modalities: ['text', 'image'], context_tokens: null }]],
  ],
  [['model', 'enable', 'm1'], ['m1'], model, [['PATCH', '/api/v1/models/m1', { enabled: true }]]],
  [['model', 'disable', 'm1'], ['m1'], model, [['PATCH', '/api/v1/models/m1', { enabled: false }]]],
  [
    ['model', 'remove', 'm1', '--force', '--yes'],
    [/Removed +m1/, /Taken out of +three/, /Disabled +two/],
    removal,
    [
      ['DELETE', '/api/v1/models/m1?dry_run=true', null],
      ['DELETE', '/api/v1/models/m1?force=true', null],
    ],
  ],
  [
    ['model', 'import', 'up1', 'fake', 'x'],
    [/Added +m1 \(fake\)/, /Skipped +x: It is there\./],
    imported,
    [['POST', '/api/v1/plugins/up1/models/import', { enabled: true, models: ['fake', 'x'] }]],
  ],
];

test.each(COMMANDS)('J: soai %j', async (line, words, expected, requests) => {
  const table = await soai(...line);
  expect([table.code, table.stderr]).toEqual([0, '']);
  for (const word of words) expect(table.stdout).toMatch(word);
  expect(asked()).toEqual(requests);
  const whole = await soai(...line, '-o', 'json');
  expect(JSON.parse(whole.stdout)).toEqual(expected);
  const oneLine = await soai(...line, '-o', 'jsonl');
  expect(oneLine.stdout.trimEnd().split('\n')).toHaveLength(1);
});

test('J: soai virtual-model list counts the members that are eligible now', async () => {
  const { stdout } = await soai('virtual-model', 'list');
  expect(stdout).toMatch(/^NAME +STRATEGY +ENABLED +ELIGIBLE +MEMBERS +FROM\nmy team +failover +yes +1\/2 +m1,m2 +api/);
  expect(JSON.parse((await soai('virtual-model', 'list', '-o', 'json')).stdout)).toEqual(sample.page(virtualModel));
});

test.each([
  [['virtual-model', 'delete', 'my team'], 'The models stay: m1, m2.', 1],
  [['model', 'remove', 'm1'], 'Taken out of: three. Disabled: two.', 1],
])('D8: %j asks on a terminal, saying what goes; no means nothing was done', async (line, words, previews) => {
  const no = start(line, { env, tty: true, input: null });
  await no.shown(words);
  no.stdin.write('n\n');
  expect(await no.outcome).toMatchObject({ code: 4, stdout: '' });
  expect(api.asked).toHaveLength(previews);
  expect(api.asked[0]!.url).toContain('dry_run=true');
  expect((await run(line, { env, tty: true, input: 'y\n' })).code).toBe(0);
});

test.each([
  ['virtual-model', 'delete', 'my team', '--dry-run'],
  ['model', 'remove', 'm1', '--dry-run'],
])('D8: %s %s %s %s only tells', async (...line) => {
  expect((await soai(...line)).stdout).toContain('Would ');
  expect(api.asked).toHaveLength(1);
});

test('J: exit codes: refused 4 with the reasons, not found 5, usage 2', async () => {
  const rejected = await soai('virtual-model', 'edit', 'bad', 'm7', 'm8');
  expect(rejected).toMatchObject({ code: 4, stdout: '' });
  expect(rejected.stderr).toContain("'m7' is disabled. 'm8' is unknown.");
  expect(await soai('model', 'remove', 'fixed')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('/etc/soai.yaml:7'),
  });
  expect((await soai('virtual-model', 'show', 'nope')).code).toBe(5);
  for (const line of [
    ['virtual-model', 'edit', 'my team'],
    ['virtual-model', 'create', 'my team'],
    ['virtual-model', 'create', 'my team', 'm1', '--strategy', 'random'],
    ['model', 'edit', 'm1'],
    ['model', 'edit', 'm1', '--context', 'large'],
    ['model', 'add', 'm1'],
  ]) {
    expect([line, (await soai(...line)).code]).toEqual([line, 2]);
  }
});
