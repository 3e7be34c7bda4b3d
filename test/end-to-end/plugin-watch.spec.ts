/** What the guardian sees of plugins that change while the server runs (spec F): altered files, new ones, ones switched off. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { List, Plugin } from '../../api/contract/management';
import type { PluginDetail } from '../../api/contract/plugins';
import { chat, merge, pluginOf, untilPlugin, withSoai } from '../harness';
import { packageFolder } from '../plugins/packaged-server';
import { status } from '../upstream';
import { pluginModels, send } from './plugin-requests';
import { settings } from './settings';

const fixture = withSoai((upstream) =>
  merge(settings({ MODELS: { CATALOG: pluginModels('echo-2') } }), {
    PLUGINS: [{ ID: 'fixed', PACKAGE: 'openai-compatible', SETTINGS: { BASE_URL: upstream.url } }],
    MODELS: { ROUTING: { HEALTH_CHECKS: { INTERVAL_SEC: 0.2, RESTART_DELAY_SEC: 2 } } },
  }),
);

const ask = (method: string, at: string, body?: unknown) => send(fixture.soai, method, `/api/v1${at}`, body);
const json = async <T>(method: string, at: string, body?: unknown): Promise<T> => {
  const answer = await ask(method, at, body);
  if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? null : await answer.json()) as T;
};
const another = (id: string) => ({
  id,
  package: 'openai-compatible',
  settings: { BASE_URL: fixture.upstream.url },
});

test('F6: the guardian quarantines a running clone whose files are altered, and goes on when it is repaired', async () => {
  await json('POST', '/plugin-packages', { path: packageFolder() });
  await json('POST', '/plugins', { id: 'echo-1', package: 'echo', settings: { TOKEN: 't' } });
  await json('POST', '/plugins/echo-1/clone', { id: 'echo-2' });
  expect((await chat(fixture.soai, 'm-echo-2')).status).toBe(200);
  const file = path.join(fixture.soai.dataDir, 'plugins', 'echo-2', 'package', 'lib', 'server.js');
  chmodSync(file, 0o600);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n// altered`);
  const altered = await untilPlugin(fixture.soai, 'echo-2', ({ quarantine }) => quarantine.state === 'integrity');
  expect(altered.quarantine.reason).toBe('its file lib/server.js was changed');
  const refused = await chat(fixture.soai, 'm-echo-2');
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    'backend_quarantined',
  ]);
  expect(await pluginOf(fixture.soai, 'echo-1')).toMatchObject({ quarantine: { state: 'none' } });
  expect((await ask('POST', '/plugins/echo-2/quarantine/clear')).status).toBe(409);
  await json('POST', '/plugins/echo-2/circuit/reset');
  expect(await pluginOf(fixture.soai, 'echo-2')).toMatchObject({ quarantine: { state: 'integrity' } });
  await json('POST', '/plugins/echo-2/repair');
  const repaired = Date.now();
  expect((await chat(fixture.soai, 'm-echo-2')).status).toBe(200);
  await untilPlugin(fixture.soai, 'echo-2', ({ last_ping_at: at }) => at !== null && at >= repaired);
});

test('F1: a plugin that is removed and made again is watched again, and starts with a clean record', async () => {
  await json('POST', '/plugins', another('again'));
  await untilPlugin(fixture.soai, 'again', ({ last_ping_at: at }) => at !== null);
  await json('DELETE', '/plugins/again');
  const made = await json<PluginDetail>('POST', '/plugins', another('again'));
  expect(made.last_ping_at).toBeNull();
  const since = Date.now();
  await untilPlugin(fixture.soai, 'again', ({ last_ping_at: at }) => at !== null && at >= since);
  await json('DELETE', '/plugins/again');
});

test('J: of two that are made at once under one id, one is refused', async () => {
  const answers = await Promise.all(['twice', 'Twice', 'twice'].map((id) => ask('POST', '/plugins', another(id))));
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
  const made = (await json<List<Plugin>>('GET', '/plugins')).data.filter(({ id }) => id.toLowerCase() === 'twice');
  expect(made).toHaveLength(1);
  await json('DELETE', `/plugins/${made[0]!.id}`);
});

test('F4: a plugin that is switched off while its recovery waits is left alone', async () => {
  fixture.upstream.listing.always(status(503));
  await untilPlugin(fixture.soai, 'fixed', ({ recovery_attempts: attempts }) => attempts === 1);
  await json('POST', '/plugins/fixed/disable');
  const asked = fixture.upstream.listing.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(fixture.upstream.listing.requests.length).toBe(asked);
});
