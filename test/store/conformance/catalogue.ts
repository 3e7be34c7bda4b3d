import { ConstraintViolation } from '../../../store/errors';
import type { ModelRow, PluginRow, VirtualModelRow } from '../../../store/records';
import { now } from '../samples';
import { over, type OpenStore } from './subject';

const plugin: PluginRow = {
  id: 'up1',
  package: 'openai-compatible',
  settings: { BASE_URL: 'http://127.0.0.1:9100/v1', nested: { list: [1, 'two', null] } },
  maxConcurrentTasks: 8,
  enabled: true,
  options: null,
  clonedFrom: null,
  packageDigest: null,
  files: null,
  createdAt: now,
};

const model = (id: string, fields: Partial<ModelRow> = {}): ModelRow => ({
  id,
  pluginId: 'up1',
  upstreamModel: 'fake',
  aliases: [],
  capabilities: ['chat', 'tools'],
  modalities: [],
  contextTokens: null,
  enabled: false,
  createdAt: now,
  ...fields,
});

const virtual = (name: string, fields: Partial<VirtualModelRow> = {}): VirtualModelRow => ({
  name,
  strategy: 'failover',
  members: ['m1', 'm2'],
  enabled: true,
  createdAt: now,
  updatedAt: now,
  ...fields,
});

export function catalogue(open: OpenStore): void {
  test(
    'J: plugins are put, changed and removed',
    over(open, async ({ catalogue }) => {
      await catalogue.putPlugin(plugin);
      await expect(catalogue.plugins()).resolves.toEqual([plugin]);
      const changed = { ...plugin, enabled: false, settings: {} };
      await catalogue.putPlugin(changed);
      await expect(catalogue.plugins()).resolves.toEqual([changed]);
      await expect(catalogue.removePlugin('up1')).resolves.toBe(true);
      await expect(catalogue.removePlugin('up1')).resolves.toBe(false);
      await expect(catalogue.plugins()).resolves.toEqual([]);
    }),
  );

  test(
    'J: models are added, changed and removed',
    over(open, async ({ catalogue }) => {
      const added = model('m1', { aliases: ['first', 'zweites 🦀'] });
      await catalogue.addModel(added);
      await expect(catalogue.models()).resolves.toEqual([added]);
      const changed = model('m1', { enabled: true, contextTokens: 8_192 });
      await expect(catalogue.changeModel(changed)).resolves.toBe(true);
      await expect(catalogue.models()).resolves.toEqual([changed]);
      await expect(catalogue.removeModel('m1')).resolves.toBe(true);
      await expect(catalogue.removeModel('m1')).resolves.toBe(false);
      await expect(catalogue.changeModel(changed)).resolves.toBe(false);
      await expect(catalogue.models()).resolves.toEqual([]);
    }),
  );

  test(
    'D8: virtual models are added, changed and removed, oldest first, members in their order',
    over(open, async ({ catalogue }) => {
      const team = virtual('team', { members: ['m2', 'm1', 'm3'] });
      await catalogue.addVirtualModel({ ...team, createdAt: now + 1 });
      await catalogue.addVirtualModel(virtual('older'));
      const names = (await catalogue.virtualModels()).map(({ name }) => name);
      expect(names).toEqual(['older', 'team']);
      const changed = virtual('team', { strategy: 'load_balancing', enabled: false, updatedAt: now + 9 });
      await expect(catalogue.changeVirtualModel(changed)).resolves.toBe(true);
      await expect(catalogue.virtualModels()).resolves.toContainEqual(changed);
      await expect(catalogue.removeVirtualModel('team')).resolves.toBe(true);
      await expect(catalogue.removeVirtualModel('team')).resolves.toBe(false);
      await expect(catalogue.changeVirtualModel(changed)).resolves.toBe(false);
    }),
  );

  test(
    'D8: a model goes together with the changes to the virtual models that had it',
    over(open, async ({ catalogue }) => {
      await catalogue.addModel(model('m1'));
      await catalogue.addVirtualModel(virtual('team', { members: ['m1', 'm2', 'm3'] }));
      const without = virtual('team', { members: ['m2', 'm3'], updatedAt: now + 1 });
      await expect(catalogue.removeModel('gone', [without])).resolves.toBe(false);
      await expect(catalogue.virtualModels()).resolves.not.toContainEqual(without);
      await expect(catalogue.removeModel('m1', [without])).resolves.toBe(true);
      await expect(catalogue.virtualModels()).resolves.toEqual([without]);
    }),
  );

  test(
    'D2: ids, aliases and virtual models share one name space without regard to case',
    over(open, async ({ catalogue }) => {
      await catalogue.addModel(model('m1', { aliases: ['Fast'] }));
      await catalogue.addVirtualModel(virtual('team'));
      const taken = [
        () => catalogue.addVirtualModel(virtual('M1')),
        () => catalogue.addVirtualModel(virtual('fast')),
        () => catalogue.addVirtualModel(virtual('TEAM')),
        () => catalogue.addModel(model('Team')),
        () => catalogue.addModel(model('m2', { aliases: ['TEAM'] })),
        () => catalogue.addModel(model('FAST')),
        () => catalogue.changeModel(model('m1', { aliases: ['tEAM'] })),
      ];
      for (const attempt of taken) await expect(attempt()).rejects.toBeInstanceOf(ConstraintViolation);
      await expect(catalogue.models()).resolves.toEqual([model('m1', { aliases: ['Fast'] })]);
      await expect(catalogue.virtualModels()).resolves.toEqual([virtual('team')]);
    }),
  );

  test(
    'D2: a name is free again once its holder has dropped it or gone',
    over(open, async ({ catalogue }) => {
      await catalogue.addModel(model('m1', { aliases: ['fast', 'm1'] }));
      await catalogue.changeModel(model('m1'));
      await catalogue.addVirtualModel(virtual('fast'));
      await catalogue.removeVirtualModel('fast');
      await catalogue.removeModel('m1');
      await catalogue.addModel(model('FAST', { aliases: ['M1'] }));
    }),
  );

  test(
    'D2: of many at once that want one name, one gets it',
    over(open, async ({ catalogue }) => {
      const wanted = [...'abcdefgh'].map((id) => catalogue.addModel(model(id, { aliases: ['same'] })));
      const outcomes = await Promise.allSettled([...wanted, catalogue.addVirtualModel(virtual('SAME'))]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }),
  );

  test(
    'D8: the revision grows with every change and with no refused one',
    over(open, async ({ catalogue }) => {
      const seen = [await catalogue.revision()];
      const changes = [
        () => catalogue.addModel(model('m1')),
        () => catalogue.changeModel(model('m1', { enabled: true })),
        () => catalogue.addVirtualModel(virtual('team')),
        () => catalogue.changeVirtualModel(virtual('team', { enabled: false })),
        () => catalogue.removeVirtualModel('team'),
        () => catalogue.removeModel('m1'),
      ];
      for (const change of changes) {
        await change();
        seen.push(await catalogue.revision());
      }
      expect(new Set(seen).size).toBe(changes.length + 1);
      expect(seen).toEqual([...seen].sort((one, other) => one - other));
      await catalogue.removeModel('m1');
      await catalogue.changeVirtualModel(virtual('team'));
      await expect(catalogue.revision()).resolves.toBe(seen.at(-1));
    }),
  );
}
