import type { Access } from './access';
import { ModelEntity } from './entities/model';
import { ModelNameEntity } from './entities/model-name';
import { PluginEntity } from './entities/plugin';
import { RevisionEntity } from './entities/revision';
import { VirtualModelEntity } from './entities/virtual-model';
import { plain } from './plain';
import type { Sql } from './sql';
import type { Catalogue } from './store';

const oldestFirst = { order: { createdAt: 'ASC', id: 'ASC' } } as const;
const oldestNameFirst = { order: { createdAt: 'ASC', name: 'ASC' } } as const;
const subject = 'catalogue';

async function countChange({ manager }: Sql): Promise<void> {
  await manager.increment(RevisionEntity, { subject }, 'revision', 1);
}

async function holdNames(
  { manager }: Sql,
  holderKind: ModelNameEntity['holderKind'],
  holder: string,
  names: readonly string[],
): Promise<void> {
  await manager.delete(ModelNameEntity, { holderKind, holder });
  const keys = new Set(names.map((name) => name.toLowerCase()));
  if (keys.size === 0) return;
  await manager.insert(
    ModelNameEntity,
    [...keys].map((nameKey) => ({ nameKey, holderKind, holder })),
  );
}

export const catalogueOver = ({ read, write }: Access): Catalogue => ({
  plugins: () => read(async ({ manager }) => (await manager.find(PluginEntity, oldestFirst)).map(plain)),

  putPlugin: (row) =>
    write(async ({ manager }) => {
      await manager.save(PluginEntity, { ...row }, { transaction: false });
    }),

  removePlugin: (id) => write(async ({ manager }) => (await manager.delete(PluginEntity, { id })).affected === 1),

  models: () => read(async ({ manager }) => (await manager.find(ModelEntity, oldestFirst)).map(plain)),

  addModel: (row) =>
    write(async (sql) => {
      await holdNames(sql, 'model', row.id, [row.id, ...row.aliases]);
      await sql.manager.insert(ModelEntity, { ...row });
      await countChange(sql);
    }),

  changeModel: (row) =>
    write(async (sql) => {
      const { affected } = await sql.manager.update(ModelEntity, { id: row.id }, { ...row });
      if (affected !== 1) return false;
      await holdNames(sql, 'model', row.id, [row.id, ...row.aliases]);
      await countChange(sql);
      return true;
    }),

  removeModel: (id, dependents = []) =>
    write(async (sql) => {
      const { affected } = await sql.manager.delete(ModelEntity, { id });
      if (affected !== 1) return false;
      for (const row of dependents) await sql.manager.update(VirtualModelEntity, { name: row.name }, { ...row });
      await holdNames(sql, 'model', id, []);
      await countChange(sql);
      return true;
    }),

  virtualModels: () =>
    read(async ({ manager }) => (await manager.find(VirtualModelEntity, oldestNameFirst)).map(plain)),

  addVirtualModel: (row) =>
    write(async (sql) => {
      await holdNames(sql, 'virtual_model', row.name, [row.name]);
      await sql.manager.insert(VirtualModelEntity, { ...row });
      await countChange(sql);
    }),

  changeVirtualModel: (row) =>
    write(async (sql) => {
      const { affected } = await sql.manager.update(VirtualModelEntity, { name: row.name }, { ...row });
      if (affected !== 1) return false;
      await countChange(sql);
      return true;
    }),

  removeVirtualModel: (name) =>
    write(async (sql) => {
      const { affected } = await sql.manager.delete(VirtualModelEntity, { name });
      if (affected !== 1) return false;
      await holdNames(sql, 'virtual_model', name, []);
      await countChange(sql);
      return true;
    }),

  revision: () => read(async ({ manager }) => (await manager.findOneByOrFail(RevisionEntity, { subject })).revision),
});
