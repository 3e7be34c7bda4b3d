import { checkSettings, secretSettings } from '../manifest-settings';
import { plugin } from '.';

const faultsOf = (settings: unknown): readonly string[] => {
  const checked = checkSettings(plugin.manifest, settings);
  return checked.valid ? [] : checked.faults.map(({ setting, message }) => `${setting}: ${message}`);
};

describe('settings of openai-compatible', () => {
  test('J: defaults are filled in', () => {
    expect(checkSettings(plugin.manifest, { BASE_URL: 'http://127.0.0.1:9100/v1' })).toEqual({
      valid: true,
      settings: {
        BASE_URL: 'http://127.0.0.1:9100/v1',
        HEADERS: {},
        MODELS_PATH: '/models',
        MAX_REPLY_BYTES: 64 * 1024 * 1024,
      },
    });
  });

  test('J: every fault is listed at once, by its name', () => {
    const faults = faultsOf({
      API_KEY: 'a\r\nx: y',
      HEADERS: { host: 'evil', 'bad name': 'v', ok: 'a\nb' },
      MAX_REPLY_BYTES: 1,
      API_KEYS: 'x',
    });
    for (const name of ['BASE_URL', 'API_KEY', 'HEADERS.host', 'HEADERS.ok', 'MAX_REPLY_BYTES', 'API_KEYS']) {
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^${name.replace('.', '\\.')}: `)));
    }
    expect(faults.join()).toContain('the transport sets');
    expect(faults.join()).toContain('is no header name');
    expect(faultsOf(undefined)).toHaveLength(1);
  });

  test.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'unix:/run/x.sock',
    'not a url',
    'http://user:pass@127.0.0.1/v1',
    'http://a@127.0.0.1/',
    'http://127.0.0.1/v1?key=1',
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://169.254.43518/',
    'http://0.0.0.0:80/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
  ])('S1: BASE_URL %s is refused', (url) => {
    expect(faultsOf({ BASE_URL: url })).not.toEqual([]);
  });

  test.each([
    'http://127.0.0.1:8000/v1',
    'http://[::1]:1/',
    'https://10.0.0.7',
    'http://gpu-box:8000/v1',
    'http://192.168.1.2/',
  ])('S1: BASE_URL %s is where backends live', (url) => {
    expect(faultsOf({ BASE_URL: url })).toEqual([]);
  });

  test('S16: the settings that hold secrets are known', () => {
    expect(secretSettings(plugin.manifest).sort()).toEqual(['API_KEY', 'HEADERS.*']);
  });
});
