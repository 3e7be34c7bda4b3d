import type { PluginPackageRow, PluginRow } from '../../../store/records';
import { now } from '../samples';
import { over, type OpenStore } from './subject';

const pack: PluginPackageRow = {
  digest: 'ab12',
  name: 'echo',
  version: '1.0.0',
  manifest: { name: 'echo', requires: { soai: '*' } },
  files: { 'manifest.json': 'cd34', 'bin/écho': 'ef56' },
  source: '/somewhere/echo.tgz',
  installedAt: now,
};

const clone: PluginRow = {
  id: 'echo-copy',
  package: 'echo',
  settings: {},
  maxConcurrentTasks: 1,
  enabled: true,
  options: { idleUnloadSec: 0.5, preload: true },
  clonedFrom: 'echo-1',
  packageDigest: 'ab12',
  files: { 'manifest.json': 'cd34' },
  createdAt: now,
};

export function pluginPackages(open: OpenStore): void {
  test(
    'F6: packages are put and removed',
    over(open, async ({ pluginPackages: packages }) => {
      await packages.put(pack);
      await expect(packages.list()).resolves.toEqual([pack]);
      await expect(packages.remove(pack.digest)).resolves.toBe(true);
      await expect(packages.remove(pack.digest)).resolves.toBe(false);
      await expect(packages.list()).resolves.toEqual([]);
    }),
  );

  test(
    'F6: a clone keeps where it comes from and what its files have to be',
    over(open, async ({ catalogue }) => {
      await catalogue.putPlugin(clone);
      await expect(catalogue.plugins()).resolves.toEqual([clone]);
    }),
  );
}
