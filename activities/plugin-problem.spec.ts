import type { Adapter, BackendState } from '../plugins/adapter';
import { NOT_QUARANTINED, type HostedPlugin } from './hosted-plugin';
import { pluginProblem, standingProblem } from './plugin-problem';

const adapter = (state: BackendState): Adapter => ({ backend: { state, detail: null } }) as Adapter;

const healthy: HostedPlugin = {
  id: 'p',
  packageName: 'command',
  origin: 'config',
  enabled: true,
  maxConcurrentTasks: 1,
  manifest: null,
  incompatible: null,
  adapter: adapter('running'),
  quarantine: NOT_QUARANTINED,
  draining: false,
};

const broken: Partial<HostedPlugin> = {
  enabled: false,
  incompatible: 'too old',
  quarantine: { state: 'integrity', reason: 'main.js is not what was installed', since: 1 },
  draining: true,
  adapter: adapter('error'),
};

test('D1: no problem, and none that waits for a call', () => {
  for (const state of ['stopped', 'starting', 'running', 'stopping'] as const) {
    expect(pluginProblem({ ...healthy, adapter: adapter(state) }, 'p')).toBeNull();
  }
});

test('F5: each state has a code of its own, and the one that lasts longest comes first', () => {
  expect(pluginProblem(undefined, 'p')?.code).toBe('plugin_missing');
  const plugin = { ...healthy, ...broken };
  const codes: (string | undefined)[] = [];
  for (const field of Object.keys(broken) as (keyof HostedPlugin)[]) {
    codes.push(pluginProblem(plugin, 'p')?.code);
    Object.assign(plugin, { [field]: healthy[field] });
  }
  expect(codes).toEqual([
    'plugin_disabled',
    'plugin_incompatible',
    'plugin_quarantined',
    'plugin_draining',
    'plugin_error',
  ]);
  expect(pluginProblem(plugin, 'p')).toBeNull();
});

test('F6: a quarantine says why', () => {
  const quarantine = { state: 'quarantined', reason: 'it failed 3 recoveries', since: 1 } as const;
  expect(pluginProblem({ ...healthy, quarantine }, 'p')?.sentence).toBe(
    "its plugin 'p' is quarantined: it failed 3 recoveries.",
  );
});

test('T51: a backend that is down refuses no request, since a call starts it again', () => {
  const down = { ...healthy, adapter: adapter('error') };
  expect(standingProblem(down, 'p')).toBeNull();
  expect(standingProblem({ ...down, draining: true }, 'p')?.code).toBe('plugin_draining');
});

test('F5: a reason that is a sentence of its own ends with one full stop', () => {
  const quarantine = { state: 'quarantined', reason: 'The backend answered 503.', since: 1 } as const;
  const problem = pluginProblem({ ...healthy, quarantine }, 'p');
  expect(problem?.sentence).toBe("its plugin 'p' is quarantined: The backend answered 503.");
});
