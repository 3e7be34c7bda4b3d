import type { BackendState } from '../plugins/adapter';
import { watchBackendMemory } from './backend-memory';
import type { CatalogueModel } from './catalogue';
import type { HostedPlugin } from './hosted-plugin';
import type { LoadListener } from './plugin-host';

const model = (id: string, pluginId: string, upstreamModel: string) =>
  ({ id, pluginId, upstreamModel }) as CatalogueModel;

function watched(): {
  readonly told: unknown[];
  shows(state: BackendState): void;
  readonly loads: LoadListener;
} {
  const told: unknown[] = [];
  let change: (plugin: HostedPlugin) => void = () => undefined;
  let loads: LoadListener = () => undefined;
  watchBackendMemory({
    plugins: {
      onChange: (listener) => {
        change = listener;
        return () => undefined;
      },
      onLoaded: (listener) => void (loads = listener),
    },
    catalogue: { all: () => [model('m1', 'l1', 'x.gguf'), model('m2', 'l1', 'x.gguf'), model('m3', 'l2', 'x.gguf')] },
    scheduler: {
      loaded: (target, loadMs) => void told.push(['loaded', target, loadMs]),
      stopped: (pluginId) => void told.push(['stopped', pluginId]),
    },
  });
  return {
    told,
    shows: (state) => change({ id: 'l1', adapter: { backend: { state, detail: null } } } as HostedPlugin),
    loads,
  };
}

test('K: a measured load counts for each model of that plugin and file', () => {
  const { told, loads } = watched();
  loads({ pluginId: 'l1', upstreamModel: 'x.gguf', loadMs: 1_234 });
  expect(told).toEqual([
    ['loaded', { pluginId: 'l1', modelId: 'm1' }, 1_234],
    ['loaded', { pluginId: 'l1', modelId: 'm2' }, 1_234],
  ]);
});

test.each(['stopped', 'error'] as const)('A5: a backend that was up and is %s is told of once', (end) => {
  const { told, shows } = watched();
  for (const state of [end, 'starting', 'running', 'running', end, end] as const) shows(state);
  expect(told).toEqual([['stopped', 'l1']]);
});
