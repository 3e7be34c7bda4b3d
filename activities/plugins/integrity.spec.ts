import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { PluginStates } from '../../store/store';
import { NOT_QUARANTINED, type Quarantine } from '../hosted-plugin';
import type { PluginHost } from '../plugin-host';
import { PluginIntegrity } from './integrity';
import type { PackageShelf } from './package-shelf';

/** A clone whose recorded file is not there, in a host whose state is read again while the quarantine is written. */
function altered(state: Quarantine['state']) {
  const plugin = { quarantine: { ...NOT_QUARANTINED, state } as Quarantine, adapter: null };
  const duringWrite: string[] = [];
  const host = {
    definition: () => ({ files: { 'main.js': 'digest' } }),
    get: () => plugin,
    setQuarantine: (_id: string, quarantine: Quarantine) => void (plugin.quarantine = quarantine),
  } as unknown as PluginHost;
  const states = {
    putQuarantine: async () => {
      duringWrite.push(plugin.quarantine.state);
      plugin.quarantine = { ...NOT_QUARANTINED, state };
    },
  } as unknown as PluginStates;
  const shelf = { pluginsDir: mkdtempSync(path.join(tmpdir(), 'soai-integrity-')) } as PackageShelf;
  const integrity = new PluginIntegrity({ host, shelf, states, log: pino({ level: 'silent' }), now: () => 1 });
  return { integrity, plugin, duringWrite };
}

test('F6: altered files are barred before the database knows, and stay so when an older row is read meanwhile', async () => {
  const { integrity, plugin, duringWrite } = altered('none');
  expect(await integrity.enforce('p')).toBe(false);
  expect([duringWrite, plugin.quarantine.state]).toEqual([['integrity'], 'integrity']);
  expect(await integrity.enforce('p')).toBe(true);
});

test('F6: a repaired plugin stays barred until the database knows', async () => {
  const { integrity, plugin, duringWrite } = altered('integrity');
  await integrity.lift('p');
  expect([duringWrite, plugin.quarantine.state]).toEqual([['integrity'], 'none']);
});
