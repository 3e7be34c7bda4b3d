import { MASK, maskSettings, maskUrlPassword } from './mask';
import { settingsSchema } from './schema';

test('O9: secrets are masked wherever settings are shown', () => {
  const settings = settingsSchema.parse({
    DATABASE: { TYPE: 'postgres', URL: 'postgres://user:canary@host:5432/db?sslpassword=canary&x=1' },
    PLUGINS: [
      {
        ID: 'up1',
        PACKAGE: 'openai-compatible',
        SETTINGS: {
          BASE_URL: 'https://me:canary@host/v1',
          API_KEY: 'canary',
          ACCESS_TOKEN: 12345,
          HEADERS: { Authorization: 'Bearer canary', 'X-Trace': 'shown' },
          SECRETS: ['canary', { deep: 'canary' }],
          MAX_TOKENS: 4096,
          NO_KEY: null,
        },
      },
    ],
  });
  const shown = maskSettings(settings) as typeof settings;
  expect(JSON.stringify(shown)).not.toContain('canary');
  expect(shown.DATABASE.URL).toBe(`postgres://user:${MASK}@host:5432/db?sslpassword=${MASK}&x=1`);
  expect(shown.PLUGINS[0]?.SETTINGS).toEqual({
    BASE_URL: `https://me:${MASK}@host/v1`,
    API_KEY: MASK,
    ACCESS_TOKEN: MASK,
    HEADERS: { Authorization: MASK, 'X-Trace': 'shown' },
    SECRETS: [MASK, { deep: MASK }],
    MAX_TOKENS: 4096,
    NO_KEY: null,
  });
});

test('everything that is no secret is shown as it is', () => {
  const settings = settingsSchema.parse({});
  expect(maskSettings(settings)).toEqual(settings);
});

test('a text that only looks like an address stays', () => {
  for (const text of ['a:b@c', 'http://host/a:b@c', 'plain']) expect(maskUrlPassword(text)).toBe(text);
});
