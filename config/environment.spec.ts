import { loadSettings } from './load';
import { formatFault } from './fault';
import { variableFor } from './environment';

const load = (env: Record<string, string>) =>
  loadSettings({ env: { HOME: '/nonexistent', ...env }, cwd: '/nonexistent' });

function settingsOf(env: Record<string, string>) {
  const result = load(env);
  if (!result.ok) throw new Error(result.faults.map(formatFault).join('\n'));
  return result.settings;
}

test('J: a variable is read as YAML: numbers, lists, groups, null', () => {
  const settings = settingsOf({
    SOAI__SERVER__PORT: '9001',
    SOAI__SERVER__TRUSTED_PROXIES: '[10.0.0.0/8, ::1]',
    SOAI__MODELS__ROUTING: '{QUEUE_CAPACITY: 7, FAIR_TASK_ROTATION: false}',
    SOAI__TEMPORAL__ADDRESS: 'null',
  });
  expect(settings.SERVER).toMatchObject({ PORT: 9001, TRUSTED_PROXIES: ['10.0.0.0/8', '::1'] });
  expect(settings.MODELS.ROUTING).toMatchObject({ QUEUE_CAPACITY: 7, FAIR_TASK_ROTATION: false });
  expect(settings.TEMPORAL.ADDRESS).toBeNull();
});

test('J: a narrower variable refines a broader one, whatever their order', () => {
  const settings = settingsOf({
    SOAI__PLUGINS__0__SETTINGS__API_KEY: '123',
    SOAI__PLUGINS__0__ID: '007',
    SOAI__PLUGINS: '[{ID: up1, PACKAGE: openai-compatible, SETTINGS: {BASE_URL: http://x}}]',
  });
  expect(settings.PLUGINS[0]).toMatchObject({ ID: '007', SETTINGS: { BASE_URL: 'http://x', API_KEY: 123 } });
});

test('J: text stays text where the setting is text', () => {
  expect(settingsOf({ SOAI__TEMPORAL__NAMESPACE: '123' }).TEMPORAL.NAMESPACE).toBe('123');
  const URL = 'postgres://u:p@h/d?x=y: z';
  expect(settingsOf({ SOAI__DATABASE__TYPE: 'postgres', SOAI__DATABASE__URL: URL }).DATABASE.URL).toBe(URL);
});

test.each([
  ['SOAI__SERVER__PROT', '1', 'SOAI__SERVER__PROT: SERVER.PROT: unknown setting; did you mean PORT?'],
  ['SOAI__', '1', 'SOAI__: unknown setting'],
  ['SOAI__SERVER__PORT__X', '1', 'SOAI__SERVER__PORT__X: SERVER.PORT.X: unknown setting'],
  ['SOAI__PLUGINS__first', '{}', 'SOAI__PLUGINS__first: PLUGINS.first: unknown setting'],
  ['SOAI__SERVER__PORT', '[', 'SOAI__SERVER__PORT: SERVER.PORT: is not a YAML value'],
  ['SOAI__SERVER__PORT', '70000', 'SOAI__SERVER__PORT: SERVER.PORT: must be at most 65535'],
  ['SOAI__PLUGINS__0__ID', 'a', 'SOAI__PLUGINS__0__ID: PLUGINS.0.PACKAGE: is required'],
])('J: a fault names the variable %s=%s', (name, value, expected) => {
  const result = load({ [name]: value });
  expect(result.ok ? [] : result.faults.map(formatFault)).toEqual([expected]);
});

test('J: a variable without the prefix is not looked at', () => {
  expect(settingsOf({ SOAI_KEY: 'x', SERVER__PORT: '1' }).SERVER.PORT).toBe(8420);
});

test('J: the variable of a setting can be told', () => {
  expect(variableFor('SERVER.PORT')).toBe('SOAI__SERVER__PORT');
});
