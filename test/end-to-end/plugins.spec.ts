/** Plugins at run time, on the real server (spec F, J): packages, settings, clones, integrity. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from '../../api/contract/management';
import type { PluginDetail, PluginPackageView } from '../../api/contract/plugins';
import { chat, withSoai } from '../harness';
import { completion, hold, json as answer } from '../upstream';
import { packageArchive, packageFolder } from '../plugins/packaged-server';
import { pluginModels, send } from './plugin-requests';
import { settings } from './settings';

const CANARY = 'sk-canary-9f8e7d6c5b4a';

const fixture = withSoai((upstream) =>
  settings({
    PLUGINS: [
      { ID: 'fixed', PACKAGE: 'openai-compatible', SETTINGS: { BASE_URL: upstream.url, API_KEY: 'sk-of-the-file' } },
    ],
    MODELS: {
      CATALOG: [
        ...pluginModels('fixed', 'mine', 'echo-1', 'echo-2', 'echo-3'),
        { ID: 'only-fixed', PLUGIN: 'fixed', UPSTREAM_MODEL: 'm' },
      ],
    },
  }),
);

const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await send(fixture.soai, method, path, body);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as T;
};
const refusal = async (
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; code: string; message: string; param: string | null }> => {
  const answer = await send(fixture.soai, method, path, body);
  const { error } = (await answer.json()) as { error: { code: string; message: string; param: string | null } };
  return { status: answer.status, code: error.code, message: error.message, param: error.param };
};
const errorOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { error: unknown }).error;
const plugin = (id: string): Promise<PluginDetail> => json('GET', `/api/v1/plugins/${id}`);
const says = async (model: string): Promise<{ from: string; greeting: string; token?: string }> => {
  const answer = await chat(fixture.soai, model);
  const body = (await answer.json()) as { choices: { message: { content: string } }[] };
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return JSON.parse(body.choices[0]!.message.content) as { from: string; greeting: string };
};

describe('settings', () => {
  test('J: a plugin is created, serves, is changed, disabled, enabled and removed', async () => {
    const settings = { BASE_URL: fixture.upstream.url, API_KEY: CANARY, HEADERS: { 'x-tenant': `${CANARY}-h` } };
    const made = await json<PluginDetail>('POST', '/api/v1/plugins', {
      id: 'mine',
      package: 'openai-compatible',
      settings,
    });
    expect(made).toMatchObject({ origin: 'database', max_concurrent_tasks: 8, read_only: null, models: ['m-mine'] });
    expect(made.settings).toEqual({ BASE_URL: fixture.upstream.url, HEADERS: {} });
    expect(made.secrets).toEqual(['API_KEY', 'HEADERS.x-tenant']);
    expect((await chat(fixture.soai, 'm-mine')).status).toBe(200);
    expect(fixture.upstream.model('m-mine').requests.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${CANARY}`,
      'x-tenant': `${CANARY}-h`,
    });

    const change = { settings: { ORGANIZATION: 'org', HEADERS: { 'x-tenant': null } }, max_concurrent_tasks: 3 };
    const changed = await json<PluginDetail>('PATCH', '/api/v1/plugins/mine', change);
    expect(changed).toMatchObject({ max_concurrent_tasks: 3, secrets: ['API_KEY'], settings: { ORGANIZATION: 'org' } });
    expect((await chat(fixture.soai, 'm-mine')).status).toBe(200);
    const { headers } = fixture.upstream.model('m-mine').requests.at(-1)!;
    expect(headers).toMatchObject({ authorization: `Bearer ${CANARY}`, 'openai-organization': 'org' });
    expect(headers).not.toHaveProperty('x-tenant');

    expect(await json('POST', '/api/v1/plugins/mine/disable')).toMatchObject({
      enabled: false,
      worker: { state: 'stopped' },
    });
    const refused = await chat(fixture.soai, 'm-mine');
    expect(refused.status).toBe(503);
    expect(await errorOf(refused)).toMatchObject({
      code: 'plugin_unavailable',
      message: expect.stringContaining('disabled'),
    });
    await json('POST', '/api/v1/plugins/mine/enable');
    expect((await chat(fixture.soai, 'm-mine')).status).toBe(200);
  });

  test('J: every fault of the settings is told, and nothing is made', async () => {
    const wrong = { id: 'wrong', package: 'openai-compatible', settings: { API_KEY: 5, NOPE: 1 } };
    const { status, code, message, param } = await refusal('POST', '/api/v1/plugins', wrong);
    expect({ status, code, param }).toEqual({
      status: 400,
      code: 'plugin_settings_invalid',
      param: 'settings.BASE_URL',
    });
    for (const name of ['BASE_URL', 'API_KEY', 'NOPE']) expect(message).toContain(name);
    expect(await refusal('POST', '/api/v1/plugins', { ...wrong, package: 'nope' })).toMatchObject({
      status: 404,
      code: 'package_not_found',
    });
    expect(await refusal('POST', '/api/v1/plugins', { ...wrong, id: '../x' })).toMatchObject({
      status: 400,
      param: 'id',
    });
    expect(await refusal('POST', '/api/v1/plugins', { ...wrong, id: 'FIXED' })).toMatchObject({
      status: 409,
      code: 'plugin_exists',
    });
    expect(await refusal('GET', '/api/v1/plugins/wrong')).toMatchObject({ status: 404 });
  });

  test('J: a plugin of the settings file is read-only and says where it is defined', async () => {
    expect((await plugin('fixed')).read_only).toContain('settings file');
    const expected = { status: 409, code: 'plugin_read_only', message: expect.stringContaining('restart SoAI') };
    expect(await refusal('PATCH', '/api/v1/plugins/fixed', { max_concurrent_tasks: 1 })).toMatchObject(expected);
    expect(await refusal('DELETE', '/api/v1/plugins/fixed')).toMatchObject(expected);
  });

  test('F6: a plugin with models stays, and the refusal names them', async () => {
    expect(await refusal('DELETE', '/api/v1/plugins/mine')).toMatchObject({
      status: 409,
      code: 'plugin_in_use',
      message: expect.stringContaining('m-mine'),
    });
  });

  test('S54: no secret is in an answer, the log, or any file but sealed', async () => {
    for (const name of ['fixed', 'mine']) expect(JSON.stringify(await plugin(name))).not.toMatch(/sk-/);
    expect(JSON.stringify(fixture.soai.logs())).not.toContain(CANARY);
    const files = readdirSync(fixture.soai.dataDir, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['soai.db', 'soai.db-wal', 'secret.key']));
    for (const { parentPath, name } of files)
      expect(readFileSync(path.join(parentPath, name)).includes(CANARY)).toBe(false);
    expect(statSync(path.join(fixture.soai.dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });
});

describe('draining', () => {
  test('F: what runs ends, nothing new is taken, and undraining lets it in again', async () => {
    const gate = hold();
    fixture.upstream.model('m').answers(answer(completion('late'), { beforeHead: gate }));
    const running = chat(fixture.soai, 'only-fixed');
    await fixture.upstream.model('m').request(1);
    const drained = json<Plugin>('POST', '/api/v1/plugins/fixed/drain');
    await untilRefused('only-fixed');
    gate.open();
    expect((await running).status).toBe(200);
    expect(await drained).toMatchObject({ draining: true, running: 0, waiting: 0, worker: { state: 'stopped' } });
    expect(await json('POST', '/api/v1/plugins/fixed/undrain')).toMatchObject({ draining: false });
    expect((await chat(fixture.soai, 'only-fixed')).status).toBe(200);
  });

  async function untilRefused(model: string): Promise<void> {
    for (;;) if ((await chat(fixture.soai, model, {}, {})).status === 503) return;
  }
});

describe('packages', () => {
  let installed: PluginPackageView;
  const archive = packageArchive();

  test('F: a package is installed from an archive, and a plugin of it runs as its own process', async () => {
    installed = await json('POST', '/api/v1/plugin-packages', { path: archive });
    expect(installed).toMatchObject({
      name: 'echo',
      origin: 'installed',
      compatibility: { state: 'compatible' },
      files: 2,
    });
    const made = { id: 'echo-1', package: 'echo', settings: { TOKEN: `${CANARY}-2` } };
    expect(await json('POST', '/api/v1/plugins', made)).toMatchObject({ secrets: ['TOKEN'], local: true });
    const directory = path.join(fixture.soai.dataDir, 'plugins', `echo@${installed.digest}`, 'lib');
    expect(await says('m-echo-1')).toEqual({ from: directory, greeting: 'hello', token: `${CANARY}-2` });
    expect(await plugin('echo-1')).toMatchObject({ backend: { state: 'running' }, worker: { state: 'idle' } });
    await json('PATCH', '/api/v1/plugins/echo-1', { settings: { GREETING: 'servus' } });
    expect(await says('m-echo-1')).toMatchObject({ greeting: 'servus', token: `${CANARY}-2` });
  });

  test('F: what is no package is refused and leaves nothing behind', async () => {
    expect(await refusal('POST', '/api/v1/plugin-packages', { path: archive })).toMatchObject({
      status: 409,
      code: 'package_exists',
    });
    const nameless = packageFolder({ 'manifest.json': '{"name":"../up"}' });
    expect(await refusal('POST', '/api/v1/plugin-packages', { path: nameless })).toMatchObject({
      status: 400,
      code: 'package_invalid',
    });
    expect(await refusal('POST', '/api/v1/plugin-packages', { path: '/no/such/file' })).toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
    const gone = `/api/v1/plugin-packages/echo/${installed.digest}`;
    expect(await refusal('DELETE', gone)).toMatchObject({
      status: 409,
      code: 'package_in_use',
      message: expect.stringContaining('echo-1'),
    });
    const left = readdirSync(path.join(fixture.soai.dataDir, 'plugins')).filter((name) => name.startsWith('.'));
    expect(left).toEqual([]);
  });

  test('F5: an incompatible package installs, and its plugins say why they do not run', async () => {
    const manifest = JSON.parse(readFileSync(path.join(packageFolder(), 'manifest.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const folder = packageFolder({
      'manifest.json': JSON.stringify({ ...manifest, name: 'later', requires: { soai: '>=99' } }),
    });
    const compatibility = { state: 'incompatible', reason: expect.stringMatching(/needs SoAI >=99, and this is \d/) };
    expect(await json('POST', '/api/v1/plugin-packages', { path: folder })).toMatchObject({ compatibility });
    await json('POST', '/api/v1/plugins', { id: 'echo-3', package: 'later' });
    expect(await plugin('echo-3')).toMatchObject({
      compatibility,
      backend: { state: 'stopped' },
      quarantine: { state: 'none' },
    });
    expect((await chat(fixture.soai, 'm-echo-3')).status).toBe(503);
  });

  test('F6: a clone runs a copy of its own, and is quarantined when that is altered; only a repair mends it', async () => {
    const cloned = await json<PluginDetail>('POST', '/api/v1/plugins/echo-1/clone', {
      id: 'echo-2',
      settings: { GREETING: 'salve' },
    });
    expect(cloned).toMatchObject({ cloned_from: 'echo-1', secrets: ['TOKEN'] });
    const copy = path.join(fixture.soai.dataDir, 'plugins', 'echo-2', 'package');
    expect(await says('m-echo-2')).toEqual({ from: path.join(copy, 'lib'), greeting: 'salve', token: `${CANARY}-2` });
    expect(await says('m-echo-1')).toMatchObject({ greeting: 'servus' });

    const file = path.join(copy, 'lib', 'server.js');
    chmodSync(file, 0o600);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n// altered`);
    await fixture.soai.restart();
    const altered = { state: 'integrity', reason: 'its file lib/server.js was changed', since: expect.any(Number) };
    expect(await plugin('echo-2')).toMatchObject({ quarantine: altered, compatibility: { state: 'compatible' } });
    const refused = await chat(fixture.soai, 'm-echo-2');
    expect(refused.status).toBe(503);
    expect(await errorOf(refused)).toMatchObject({
      code: 'backend_quarantined',
      message: expect.stringContaining('was changed'),
    });
    expect(await refusal('POST', '/api/v1/plugins/echo-2/restart')).toMatchObject({
      status: 409,
      code: 'plugin_not_usable',
    });
    expect(await plugin('echo-2')).toMatchObject({ quarantine: { state: 'integrity' } });
    expect(await says('m-echo-1')).toMatchObject({ greeting: 'servus' });

    expect(await json('POST', '/api/v1/plugins/echo-2/repair')).toMatchObject({
      quarantine: { state: 'none', since: null },
    });
    expect(await says('m-echo-2')).toMatchObject({ greeting: 'salve', token: `${CANARY}-2` });
  });

  test('F6: an altered package is repaired from where it was installed from', async () => {
    const file = path.join(fixture.soai.dataDir, 'plugins', `echo@${installed.digest}`, 'lib', 'more.js');
    chmodSync(path.dirname(file), 0o700);
    writeFileSync(file, '// added');
    await fixture.soai.restart();
    expect(await plugin('echo-1')).toMatchObject({
      quarantine: { state: 'integrity', reason: expect.stringContaining('more.js') },
    });
    await json('POST', '/api/v1/plugins/echo-1/repair');
    expect(await says('m-echo-1')).toMatchObject({ greeting: 'servus' });
  });

  test('S54: without its key file a plugin says so, and is mended by entering its secret again', async () => {
    await fixture.soai.stop();
    rmSync(path.join(fixture.soai.dataDir, 'secret.key'));
    await fixture.soai.ensureRunning();
    const reason = expect.stringMatching(/TOKEN can't be used: the key file .*secret\.key is missing/);
    expect(await plugin('echo-1')).toMatchObject({ compatibility: { state: 'incompatible', reason } });
    await json('PATCH', '/api/v1/plugins/echo-1', { settings: { TOKEN: 'anew' } });
    expect(await says('m-echo-1')).toMatchObject({ greeting: 'servus', token: 'anew' });
  });
});
