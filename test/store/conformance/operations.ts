import type { ModelRow, PluginRow } from '../../../store/records';
import { now, processRow } from '../samples';
import { over, type OpenStore } from './subject';

const plugin: PluginRow = {
  id: 'up1',
  package: 'openai-compatible',
  settings: { BASE_URL: 'http://127.0.0.1:9100/v1', nested: { list: [1, 'two', null] } },
  maxConcurrentTasks: 8,
  enabled: true,
  createdAt: now,
};

const model: ModelRow = {
  id: 'm1',
  pluginId: 'up1',
  upstreamModel: 'fake',
  aliases: ['first', 'zweites 🦀'],
  capabilities: ['chat', 'tools'],
  modalities: [],
  enabled: false,
  createdAt: now,
};

export function operations(open: OpenStore): void {
  test(
    'C9: a store that is open answers a ping',
    over(open, async (store) => {
      await expect(store.ping()).resolves.toBeUndefined();
    }),
  );

  test(
    'C2: processes are known with their heartbeat and stop',
    over(open, async ({ processes }) => {
      await processes.register(processRow('p1'));
      await processes.register(processRow('p2', { startedAt: now + 1 }));
      await processes.heartbeat('p1', now + 10);
      await processes.stopped('p2', now + 11);
      await expect(processes.list()).resolves.toEqual([
        processRow('p1', { heartbeatAt: now + 10 }),
        processRow('p2', { startedAt: now + 1, stoppedAt: now + 11 }),
      ]);
    }),
  );

  test(
    'C4: lifecycle events are kept newest first, also within a millisecond',
    over(open, async ({ lifecycle }) => {
      for (const kind of ['started', 'unclean_start', 'check_passed']) await lifecycle.append(kind, { of: kind }, now);
      await expect(lifecycle.list(2)).resolves.toEqual([
        { kind: 'check_passed', detail: { of: 'check_passed' }, at: now },
        { kind: 'unclean_start', detail: { of: 'unclean_start' }, at: now },
      ]);
    }),
  );

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
    'J: models are put, changed and removed',
    over(open, async ({ catalogue }) => {
      await catalogue.putModel(model);
      await expect(catalogue.models()).resolves.toEqual([model]);
      const changed = { ...model, enabled: true, aliases: [] };
      await catalogue.putModel(changed);
      await expect(catalogue.models()).resolves.toEqual([changed]);
      await expect(catalogue.removeModel('m1')).resolves.toBe(true);
      await expect(catalogue.removeModel('m1')).resolves.toBe(false);
    }),
  );
}
