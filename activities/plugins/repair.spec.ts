import type { Adapter } from '../../plugins/adapter';
import type { PluginHost } from '../plugin-host';
import type { PluginDefinition } from './definition';
import type { PackageShelf } from './package-shelf';
import { PluginRepair } from './repair';

test('F6: a repair that has nothing to repair leaves a running backend alone', async () => {
  const stop = jest.fn();
  const host = { get: () => ({ adapter: { stop } as Partial<Adapter> }) } as unknown as PluginHost;
  const shelf = { find: () => ({ origin: 'bundled' }) } as unknown as PackageShelf;
  const repair = new PluginRepair({ host, shelf, store: { putPlugin: () => Promise.resolve() } });
  const definition = { id: 'p', package: 'llama-cpp', packageDigest: null, files: null } as PluginDefinition;
  await expect(repair.repair(definition)).rejects.toMatchObject({ code: 'nothing_to_repair' });
  expect(stop).not.toHaveBeenCalled();
});
