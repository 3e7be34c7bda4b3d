import type { Access } from './access';
import { ModelEntity } from './entities/model';
import { PluginEntity } from './entities/plugin';
import { plain } from './plain';
import type { Catalogue } from './store';

const oldestFirst = { order: { createdAt: 'ASC', id: 'ASC' } } as const;

export const catalogueOver = ({ read, write }: Access): Catalogue => ({
  plugins: () => read(async ({ manager }) => (await manager.find(PluginEntity, oldestFirst)).map(plain)),

  putPlugin: (row) =>
    write(async ({ manager }) => {
      await manager.save(PluginEntity, { ...row }, { transaction: false });
    }),

  removePlugin: (id) => write(async ({ manager }) => (await manager.delete(PluginEntity, { id })).affected === 1),

  models: () => read(async ({ manager }) => (await manager.find(ModelEntity, oldestFirst)).map(plain)),

  putModel: (row) =>
    write(async ({ manager }) => {
      await manager.save(ModelEntity, { ...row }, { transaction: false });
    }),

  removeModel: (id) => write(async ({ manager }) => (await manager.delete(ModelEntity, { id })).affected === 1),
});
