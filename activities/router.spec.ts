import type { Catalogue, CatalogueModel, VirtualModel } from './catalogue';
import { closedCircuits, type Circuits, type CircuitView } from './circuits';
import { NOT_QUARANTINED, type HostedPlugin } from './hosted-plugin';
import type { PluginHost } from './plugin-host';
import { Router, type RouterDeps, type RouteRequest } from './router';

const PLUGIN = { enabled: true, incompatible: null, quarantine: NOT_QUARANTINED, draining: false, adapter: null };

interface World {
  readonly router: Router;
  readonly clock: { now: number };
  readonly models: Map<string, CatalogueModel>;
  readonly plugins: Map<string, HostedPlugin>;
  virtual: VirtualModel | undefined;
}

function world(over: Partial<RouterDeps> = {}, strategy: VirtualModel['strategy'] = 'failover'): World {
  const ids = ['a', 'b', 'c'];
  const models = new Map(
    ids.map((id) => [
      id,
      { id, pluginId: `p-${id}`, enabled: true, capabilities: [], modalities: [], contextTokens: null } as unknown as CatalogueModel, // prettier-ignore
    ]),
  );
  const plugins = new Map(ids.map((id) => [`p-${id}`, { ...PLUGIN, id: `p-${id}` } as unknown as HostedPlugin]));
  const clock = { now: 1_000 };
  const made: { virtual: VirtualModel | undefined } = { virtual: { name: 'team', strategy, members: ids, enabled: true } as unknown as VirtualModel }; // prettier-ignore
  const catalogue = { find: (id: string) => models.get(id), virtual: () => made.virtual } as unknown as Catalogue;
  const router = new Router({
    catalogue,
    plugins: { get: (id: string) => plugins.get(id) } as unknown as PluginHost,
    circuits: closedCircuits,
    scheduler: { loadOf: () => ({ running: 0, waiting: 0 }), wouldSwap: () => false },
    mayUse: () => true,
    settings: { windowMs: 15_000, rotate: true, triesPerMember: 1 },
    now: () => clock.now,
    ...over,
  });
  return Object.assign(made, { router, clock, models, plugins });
}

const request: RouteRequest = {
  virtualModel: 'team',
  members: ['a', 'b', 'c'],
  accountId: 'account',
  requirements: { operation: 'chat', features: [], modalities: [], contextTokens: 0 },
};
const drops = (router: Router, more: Partial<RouteRequest> = {}): Record<string, string | null> =>
  Object.fromEntries(router.route({ ...request, ...more }).plan.map(({ modelId, dropped }) => [modelId, dropped]));

test('D9: a member that the caller may not use directly is left out', () => {
  const { router } = world({ mayUse: (accountId, { id }) => accountId === 'account' && id !== 'a' });
  expect(drops(router)).toEqual({ a: 'not_permitted', b: null, c: null });
});

test('D3: models and plugins are read anew for each request', () => {
  const { router, models, plugins } = world();
  models.set('a', { ...models.get('a')!, enabled: false });
  plugins.set('p-b', { ...plugins.get('p-b')!, quarantine: { state: 'quarantined', reason: null, since: 1 } });
  models.delete('c');
  expect(drops(router)).toEqual({ a: 'disabled', b: 'plugin_quarantined', c: 'inactive' });
});

test('E, D3: an open circuit drops its members, and a refused permit counts before the snapshot does', () => {
  const open: CircuitView = { state: 'open', failureCount: 3, lastFailureAt: 1, retryAt: 9, probing: false };
  const circuits: Circuits = { ...closedCircuits, view: (id) => (id === 'p-a' ? open : closedCircuits.view(id)) };
  const { router } = world({ circuits });
  const refused = new Map([['p-b', { ...open, state: 'half_open' as const }]]);
  expect(drops(router, { refused })).toEqual({ a: 'circuit_open', b: 'circuit_probing', c: null });
});

test('F4: a plugin that a request was purged from is out for that request', () => {
  const { router } = world();
  expect(drops(router, { avoided: new Set(['p-a']) })).toEqual({ a: 'plugin_recovery', b: null, c: null });
});

test('D6, D7: cooldowns of members and of the virtual model end by themselves', () => {
  const { router, clock } = world();
  const told: string[] = [];
  router.onCooldown((id) => told.push(id));
  router.memberFailed('a');
  expect([drops(router), told]).toEqual([{ a: 'cooldown', b: null, c: null }, ['a']]);
  router.requestFailed('team');
  expect(router.route(request)).toMatchObject({ kind: 'deferred', untilMs: 16_000 });
  clock.now = 16_000;
  expect(drops(router)).toEqual({ a: null, b: null, c: null });
});

test('D4: requests bound to a member count against it until they are over', () => {
  const { router } = world({}, 'load_balancing');
  const first = (): string => router.route(request).plan[0]!.modelId;
  const taken = ['t1', 't2', 't3'].map((taskId) => {
    const route = router.route(request);
    if (route.kind === 'targets') router.bind(taskId, 'team', route.first);
    return route.plan[0]!.modelId;
  });
  expect(taken).toEqual(['a', 'b', 'c']);
  router.unbind('t2');
  expect(first()).toBe('b');
});

test('D8: a request outlives its virtual model: the members of its acceptance stand in', () => {
  const made = world();
  made.virtual = undefined;
  expect(drops(made.router, { members: ['b', 'a'] })).toEqual({ b: null, a: null });
});
