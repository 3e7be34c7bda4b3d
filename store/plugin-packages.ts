import type { Access } from './access';
import { PluginPackageEntity } from './entities/plugin-package';
import { plain } from './plain';
import type { PluginPackages } from './store';

export const pluginPackagesOver = ({ read, write }: Access): PluginPackages => ({
  list: () =>
    read(async ({ manager }) => {
      const rows = await manager.find(PluginPackageEntity, { order: { installedAt: 'ASC', digest: 'ASC' } });
      return rows.map(plain);
    }),

  put: (row) =>
    write(async ({ manager }) => {
      await manager.save(PluginPackageEntity, { ...row }, { transaction: false });
    }),

  remove: (digest) =>
    write(async ({ manager }) => (await manager.delete(PluginPackageEntity, { digest })).affected === 1),
});
