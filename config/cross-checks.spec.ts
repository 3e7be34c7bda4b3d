import { crossCheck } from './cross-checks';
import { settingsSchema } from './schema';

function findings(input: object): string[] {
  return crossCheck(settingsSchema.parse(input)).map(
    ({ severity, path, message }) => `${severity} ${path.join('.')}: ${message}`,
  );
}

const model = (ID: string, extra = {}) => ({ ID, PLUGIN: 'p', UPSTREAM_MODEL: 'u', ...extra });
const PLUGINS = [{ ID: 'p', PACKAGE: 'command' }];
const team = (MEMBERS: string[], NAME = 'team') => ({ NAME, STRATEGY: 'failover', MEMBERS });

test('the defaults have no findings', () => expect(findings({})).toEqual([]));

test('C1: a lease must outlive the sweep', () => {
  const ROUTING = { DURABLE_QUEUE_LEASE_TTL_SEC: 5, DURABLE_QUEUE_RECOVERY_SWEEP_SEC: 5 };
  expect(findings({ MODELS: { ROUTING } })).toEqual([
    'fault MODELS.ROUTING.DURABLE_QUEUE_LEASE_TTL_SEC: must be more than DURABLE_QUEUE_RECOVERY_SWEEP_SEC (5)',
  ]);
});

test('B1: the longest delay is not below the first', () => {
  const RETRY = { BASE_DELAY_SEC: 2, MAX_DELAY_SEC: 1 };
  expect(findings({ MODELS: { ROUTING: { RETRY } } })).toHaveLength(1);
});

test('a URL goes with postgres, and postgres with a URL', () => {
  expect(findings({ DATABASE: { TYPE: 'postgres' } })[0]).toMatch(/^fault DATABASE\.URL: is required/);
  expect(findings({ DATABASE: { URL: 'postgres://h/d' } })[0]).toMatch(/^fault DATABASE\.URL: is only/);
  expect(findings({ DATABASE: { TYPE: 'postgres', URL: 'postgres://h/d' } })).toEqual([]);
});

test('D2: ids, aliases and virtual models share one name space without regard to case', () => {
  const CATALOG = [model('m1', { ALIASES: ['fast'] }), model('FAST'), model('m3', { ALIASES: ['M1'] })];
  const ROUTING = { VIRTUAL_MODELS: [team(['m1', 'm3'], 'M3')] };
  expect(findings({ PLUGINS, MODELS: { CATALOG, ROUTING } })).toEqual([
    'fault MODELS.CATALOG.1.ID: FAST is taken already by MODELS.CATALOG.0.ALIASES.0',
    'fault MODELS.CATALOG.2.ALIASES.0: M1 is taken already by MODELS.CATALOG.0.ID',
    'fault MODELS.ROUTING.VIRTUAL_MODELS.0.NAME: M3 is taken already by MODELS.CATALOG.2.ID',
    'fault MODELS.ROUTING.VIRTUAL_MODELS.0.MEMBERS.1: is a virtual model, which cannot be a member',
  ]);
});

test('D1: members are distinct, not virtual, and known or warned about', () => {
  const CATALOG = [model('a'), model('b')];
  const VIRTUAL_MODELS = [team(['a', 'a']), team(['a', 'team', 'zz'], 'outer')];
  expect(findings({ PLUGINS, MODELS: { CATALOG, ROUTING: { VIRTUAL_MODELS } } })).toEqual([
    'fault MODELS.ROUTING.VIRTUAL_MODELS.0.MEMBERS.1: a is taken already by MODELS.ROUTING.VIRTUAL_MODELS.0.MEMBERS.0',
    'fault MODELS.ROUTING.VIRTUAL_MODELS.1.MEMBERS.1: is a virtual model, which cannot be a member',
    'warning MODELS.ROUTING.VIRTUAL_MODELS.1.MEMBERS.2: zz is not in MODELS.CATALOG; unless the database has it, it is never chosen',
  ]);
});

test('D1: a member is named by its id, and a disabled one is warned about', () => {
  const CATALOG = [model('a', { ALIASES: ['quick'] }), model('b', { ENABLED: false })];
  const VIRTUAL_MODELS = [team(['quick', 'b'])];
  expect(findings({ PLUGINS, MODELS: { CATALOG, ROUTING: { VIRTUAL_MODELS } } })).toEqual([
    'fault MODELS.ROUTING.VIRTUAL_MODELS.0.MEMBERS.0: is an alias; name the model itself, a',
    'warning MODELS.ROUTING.VIRTUAL_MODELS.0.MEMBERS.1: b is disabled, so it is never chosen',
  ]);
});

test('a plugin that only the database may have is a warning', () => {
  expect(findings({ MODELS: { CATALOG: [model('a')] } })[0]).toMatch(/^warning MODELS\.CATALOG\.0\.PLUGIN: p is not/);
});

test.each([
  ['127.0.0.1', 0],
  ['127.8.8.8', 0],
  ['::1', 0],
  ['localhost', 0],
  ['0.0.0.0', 1],
  ['::', 1],
  ['10.0.0.1', 1],
  ['127.evil.example', 1],
])('listening on %s is noted %d times', (HOST, times) => expect(findings({ SERVER: { HOST } })).toHaveLength(times));
