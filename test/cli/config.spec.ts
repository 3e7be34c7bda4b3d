/** `soai config`: what is in force, whether it is sound, and its schema. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { settingsSchema } from '../../config/schema';
import { emptyDirectory, run } from './run';

const SECRETS = `DATABASE: { TYPE: postgres, URL: "postgres://soai:canary@db/soai" }
PLUGINS:
  - { ID: up1, PACKAGE: openai-compatible, SETTINGS: { BASE_URL: http://h, API_KEY: sk-canary } }
SERVER: { HOST: 0.0.0.0 }
`;

function withFile(yaml: string): string {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, 'soai.yaml'), yaml);
  return cwd;
}

test('J: config show prints YAML that loads again, the file on stderr', async () => {
  const cwd = withFile('SERVER: { PORT: 9000 }\n');
  const { code, stdout, stderr } = await run(['config', 'show'], { cwd });
  expect([code, stderr]).toEqual([0, `Settings file: ${cwd}/soai.yaml\n`]);
  expect(settingsSchema.parse(parse(stdout)).SERVER.PORT).toBe(9000);
});

test.each([
  [['config', 'show']],
  [['config', 'show', '--origin']],
  [['config', 'show', '-o', 'json']],
  [['config', 'validate', '-o', 'json']],
])('O9: %j shows no secret', async (argv) => {
  const { code, stdout, stderr } = await run(argv, {
    cwd: withFile(SECRETS),
    env: { SOAI__PLUGINS__0__SETTINGS__API_KEY: 'canary' },
  });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('canary');
});

test('J: config show --origin tells where each setting came from', async () => {
  const cwd = withFile('SERVER:\n  PORT: 9000\n');
  const argv = ['config', 'show', '--origin', '--set', 'LOG.LEVEL=warn'];
  const { stdout } = await run(argv, { cwd, env: { SOAI__TEMPORAL__NAMESPACE: 'ns' } });
  expect(stdout).toMatch(new RegExp(`^SERVER\\.PORT +9000 +${cwd}/soai\\.yaml:2$`, 'm'));
  expect(stdout).toMatch(/^TEMPORAL\.NAMESPACE +"ns" +SOAI__TEMPORAL__NAMESPACE$/m);
  expect(stdout).toMatch(/^LOG\.LEVEL +"warn" +--set LOG\.LEVEL$/m);
  expect(stdout).toMatch(/^SERVER\.HOST +"127\.0\.0\.1" +default$/m);
  const lines = (await run([...argv, '-o', 'jsonl'], { cwd })).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual({
    path: 'SERVER.PORT',
    value: 9000,
    origin: { source: 'file', file: `${cwd}/soai.yaml`, line: 2 },
  });
});

test('J: config validate lists every fault with file:line and is exit code 2', async () => {
  const cwd = withFile('SERVER:\n  PROT: 1\nLOG: { LEVEL: loud }\n');
  const { code, stdout, stderr } = await run(['config', 'validate'], { cwd });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n')).toEqual([
    `${cwd}/soai.yaml:2:3: SERVER.PROT: unknown setting; did you mean PORT?`,
    `${cwd}/soai.yaml:3:15: LOG.LEVEL: must be one of trace, debug, info, warn, error, fatal, silent`,
    '2 faults.',
    '',
  ]);
  const report = JSON.parse((await run(['config', 'validate', '-o', 'json'], { cwd })).stdout) as {
    ok: boolean;
    faults: object[];
  };
  expect(report.ok).toBe(false);
  expect(report.faults[0]).toMatchObject({
    path: 'SERVER.PROT',
    source: { file: `${cwd}/soai.yaml`, line: 2, column: 3 },
  });
});

test('J: config validate of a sound file is exit code 0; warnings are told', async () => {
  const { code, stdout, stderr } = await run(['config', 'validate'], { cwd: withFile(SECRETS) });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/soai\.yaml: ok\n$/)]);
  expect(stderr).toMatch(/^warning: .*soai\.yaml:4:17: SERVER\.HOST: listens beyond this machine/);
});

test('J: config schema is the committed schema', async () => {
  const committed = readFileSync(join(__dirname, '../../config/soai.schema.json'), 'utf8');
  expect((await run(['config', 'schema'])).stdout).toBe(committed);
});

test('J: other commands stop at faulty settings with all of the faults', async () => {
  const { code, stderr } = await run(['status'], { cwd: withFile('SERVER: { PROT: 1, HOTS: 2 }') });
  expect(code).toBe(2);
  expect(stderr.match(/unknown setting/g)).toHaveLength(2);
});
