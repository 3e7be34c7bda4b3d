/** `soai doctor`: pass, warn or fail for each check, with what to do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { checkDatabase } from '../../cli/doctor/data';
import type { Finding } from '../../cli/doctor/finding';
import { checkNode } from '../../cli/doctor/host';
import { Context } from '../../cli/context';
import { CliError } from '../../cli/exit-code';
import { processTerminal } from '../../cli/terminal';
import { settingsSchema } from '../../config/schema';
import { FakeApi, refuse } from './fake-api';
import type { Plugin } from '../../api/contract/management';
import { emptyDirectory, run } from './run';
import * as sample from './samples';

let cwd: string;
let data: string;
const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function fakeApi(routes: Parameters<typeof FakeApi.start>[0]): Promise<FakeApi> {
  const api = await FakeApi.start(routes);
  cleanUps.push(() => api.stop());
  return api;
}

beforeEach(() => {
  cwd = emptyDirectory();
  data = join(cwd, 'data');
  writeSettings({});
  mkdirSync(join(cwd, 'bin'));
  writeFileSync(join(cwd, 'bin/temporal'), '');
});

function writeSettings(more: object): void {
  const settings = { SYSTEM: { PATHS: { SYSTEM_DATA: data } }, SERVER: { PORT: 0 }, ...more };
  writeFileSync(join(cwd, 'soai.yaml'), JSON.stringify(settings));
}

async function doctor(env: Record<string, string> = {}) {
  const { code, stdout } = await run(['doctor', '-o', 'json'], { cwd, env: { PATH: join(cwd, 'bin'), ...env } });
  const { data: findings } = JSON.parse(stdout) as { data: Finding[] };
  return { code, of: (check: string) => findings.find((each) => each.check === check), findings };
}

function runningServer(api: string): void {
  mkdirSync(join(data, 'run'), { recursive: true, mode: 0o700 });
  const file = { pid: process.pid, pid_start: null, started_at: 1, api, operator_token: 't', version: '0.1.0' };
  writeFileSync(join(data, 'run/server.json'), JSON.stringify(file));
}

test('before the first start everything passes, and nothing is created', async () => {
  const { code, findings } = await doctor();
  expect(findings.filter(({ result }) => result === 'fail' || result === 'warn')).toEqual([]);
  expect(code).toBe(0);
  expect(() => chmodSync(data, 0o700)).toThrow('ENOENT');
});

test('in table format each finding is a line, with its remedy below', async () => {
  writeSettings({ TEMPORAL: { ADDRESS: '127.0.0.1:9' } });
  const { code, stdout } = await run(['doctor'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^pass {2}node: Node \d/m);
  expect(stdout).toMatch(/^fail {2}temporal: 127\.0\.0\.1:9 does not accept connections\.\n {6}Start that server/m);
});

test('settings at fault fail, and the checks that need none still run', async () => {
  writeFileSync(join(cwd, 'soai.yaml'), 'SERVER: { PROT: 1, X: 2 }');
  const { code, of, findings } = await doctor();
  expect([code, findings.length]).toEqual([1, 2]);
  expect(of('settings')).toMatchObject({ result: 'fail', detail: expect.stringMatching(/PROT.*\(and 1 more\)$/) });
});

test('A2: too little free space fails', async () => {
  writeSettings({ MODELS: { ROUTING: { MIN_FREE_DISK_BYTES_FOR_ACCEPT: Number.MAX_SAFE_INTEGER } } });
  expect((await doctor()).of('free space')).toMatchObject({
    result: 'fail',
    fix: expect.stringContaining('Free space'),
  });
});

test('C4: the marker of an unclean stop is a warning, and the database is left alone', async () => {
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'soai.db'), '');
  writeFileSync(join(data, 'soai_process.dirty'), '');
  const { of } = await doctor();
  expect(of('last shutdown')).toMatchObject({
    result: 'warn',
    fix: expect.stringContaining('checks the database first'),
  });
  expect(of('database')).toMatchObject({ result: 'skip' });
});

test('S54: a data directory open to other users is a warning', async () => {
  mkdirSync(data);
  chmodSync(data, 0o755);
  expect((await doctor()).of('data directory')).toMatchObject({ result: 'warn', fix: `chmod 700 ${data}` });
});

test('a port in use and a Temporal that is nowhere fail', async () => {
  const holder: Server = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => new Promise((resolve) => holder.close(resolve)));
  writeSettings({ SERVER: { PORT: (holder.address() as AddressInfo).port } });
  const { of } = await doctor({ PATH: '', GOPATH: join(cwd, 'nowhere') });
  expect(of('port')).toMatchObject({ result: 'fail', detail: expect.stringContaining('EADDRINUSE') });
  expect(of('temporal')).toMatchObject({ result: 'fail', fix: expect.stringContaining('npm run setup') });
});

test('with a server its own findings, plugins and models are checked', async () => {
  const broken: Plugin = {
    ...sample.plugin,
    id: 'up2',
    quarantine: { state: 'quarantined', reason: 'no answer', since: 1 },
  };
  const open: Plugin = { ...sample.plugin, id: 'up3', circuit: { ...sample.plugin.circuit, state: 'open' } };
  const api = await fakeApi({
    'GET /api/v1/system/health': sample.degraded,
    'GET /api/v1/plugins': sample.page(sample.plugin, broken, open),
    'GET /api/v1/models': sample.page({ ...sample.model, available: false, reason: 'quarantined' }),
  });
  runningServer(api.url);
  const { code, of } = await doctor();
  expect(code).toBe(1);
  expect(of('server')).toMatchObject({ result: 'warn', detail: expect.stringContaining('engine_down') });
  expect(of('temporal')).toMatchObject({ result: 'fail', detail: 'The engine is down.' });
  expect(of('plugin up1')).toMatchObject({ result: 'pass' });
  expect(of('plugin up2')).toMatchObject({ result: 'fail', detail: 'quarantined: no answer' });
  expect(of('plugin up3')).toMatchObject({ result: 'warn' });
  expect(of('models')).toMatchObject({ result: 'fail', detail: '0 of 1 available' });
});

test('a server that refuses the key, and one that is away, fail', async () => {
  const api = await fakeApi({
    'GET /api/v1/system/health': sample.health,
    'GET /api/v1/plugins': refuse(403, 'insufficient_permissions', 'Your account may not do this.'),
  });
  expect((await doctor({ SOAI_URL: api.url })).of('plugins and models')).toMatchObject({ result: 'fail' });
  const { code, of } = await doctor({ SOAI_URL: 'http://127.0.0.1:9' });
  expect([code, of('server')?.result]).toEqual([1, 'fail']);
});

describe('the database', () => {
  const context = new Context({ ...processTerminal(), env: {} }, {});
  const check = (offline: () => Promise<unknown>) =>
    checkDatabase(context, data, settingsSchema.parse({}), false, offline);

  beforeEach(() => {
    mkdirSync(data);
    writeFileSync(join(data, 'soai.db'), '');
  });

  test('passes when it opens and its migrations are done', async () => {
    expect(await check(async () => ({ migrated: true }))).toMatchObject({ result: 'pass' });
  });

  test('fails with what the look at it said', async () => {
    const error = new CliError(1, 'failed', 'file is not a database', null);
    expect(await check(() => Promise.reject(error))).toMatchObject({
      result: 'fail',
      detail: 'file is not a database',
    });
  });
});

test.each([
  ['24.21.0', 'pass'],
  ['24.6.9', 'fail'],
  ['20.19.0', 'fail'],
  ['26.0.0', 'pass'],
])('Node %s: %s', (version, result) => expect(checkNode(version).result).toBe(result));
