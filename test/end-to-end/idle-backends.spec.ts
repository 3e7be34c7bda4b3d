/** Backends of this host that come up with the server and go when nobody needs them (spec F). */
import { setTimeout as delay } from 'node:timers/promises';
import type { Plugin } from '../../api/contract/management';
import { chat, get, withSoai } from '../harness';
import { packageFolder } from '../plugins/packaged-server';
import { pluginModels, send } from './plugin-requests';
import { settings } from './settings';

const fixture = withSoai(() => settings({ MODELS: { CATALOG: pluginModels('early') } }));

const backend = async (): Promise<string> => (await get<Plugin>(fixture.soai, '/api/v1/plugins/early')).backend.state;

async function untilBackend(state: string): Promise<void> {
  while ((await backend()) !== state) await delay(50);
}

test('F: a backend is preloaded, unloaded when idle, and started again by the next request', async () => {
  const { soai } = fixture;
  await send(soai, 'POST', '/api/v1/plugin-packages', { path: packageFolder() });
  const made = { id: 'early', package: 'echo', preload: true, idle_unload_sec: 3_600 };
  expect((await send(soai, 'POST', '/api/v1/plugins', made)).status).toBe(201);
  expect(await backend()).toBe('stopped');
  await soai.restart();
  await untilBackend('running');
  expect((await send(soai, 'PATCH', '/api/v1/plugins/early', { idle_unload_sec: 0.3 })).status).toBe(200);
  await untilBackend('stopped');
  expect((await chat(soai, 'm-early')).status).toBe(200);
  await untilBackend('stopped');
});
