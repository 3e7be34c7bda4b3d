/** The log by source on the real server (spec H "Logs", F). */
import type { LogEntryView } from '../../api/contract/logs';
import type { List } from '../../api/contract/management';
import { chat, follow, get, withSoai } from '../harness';
import { packageArchive } from '../plugins/packaged-server';
import { pluginModels, send } from './plugin-requests';
import { settings } from './settings';

const fixture = withSoai(() => settings({ MODELS: { CATALOG: pluginModels('talker') } }));

const read = async (query: string): Promise<LogEntryView[]> =>
  (await get<List<LogEntryView>>(fixture.soai, `/api/v1/logs?${query}`)).data;

test('H: core and plugins have a log each; a backend’s own words are in its plugin’s', async () => {
  await send(fixture.soai, 'POST', '/api/v1/plugin-packages', {
    path: packageArchive({ 'lib/server.js': 'console.error("no model here"); process.exit(3);' }),
  });
  await send(fixture.soai, 'POST', '/api/v1/plugins', { id: 'talker', package: 'echo' });
  const stream = await fetch(`${fixture.soai.url}/api/v1/logs/stream?source=plugin:talker&after=0`, {
    headers: { authorization: `Bearer ${fixture.soai.key}` },
  });
  const events = follow(stream);
  expect((await chat(fixture.soai, 'm-talker')).status).toBe(503);
  const followed = JSON.parse((await events.next()).value!.data) as LogEntryView;
  expect(followed).toMatchObject({ source: 'plugin:talker', message: 'no model here', fields: { stream: 'stderr' } });
  await events.return(undefined);
  const [found] = await read('source=plugin:talker&text=NO%20MODEL&limit=1');
  expect(found).toMatchObject({ level: 'info', message: 'no model here' });
  expect((await read('source=core&text=plugin%20package%20installed')).length).toBe(1);
  expect(await read('source=core&text=no%20model%20here&level=error')).toEqual([]);
  const { data } = await get<List<string>>(fixture.soai, '/api/v1/logs/sources');
  expect(data).toEqual(['core', 'plugin:talker']);
  const cli = await fixture.soai.command<List<LogEntryView>>('log', 'plugin:talker', '--limit', '1');
  expect(cli.data).toHaveLength(1);
});

test('F: its backend tells why it is down, apart from the other states', async () => {
  const plugin = await get<Record<string, unknown>>(fixture.soai, '/api/v1/plugins/talker');
  expect(plugin).toMatchObject({
    backend: { state: 'error', reason: expect.stringContaining('exited with code 3') },
    compatibility: { state: 'compatible' },
    worker: { state: 'idle' },
    quarantine: { state: 'none' },
  });
});
