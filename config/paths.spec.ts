import { cacheDir, dataDir } from './paths';
import { settingsSchema } from './schema';

const defaults = settingsSchema.parse({});

test('J: data lives in $XDG_DATA_HOME/soai unless SYSTEM_DATA says otherwise', () => {
  expect(dataDir(defaults, { XDG_DATA_HOME: '/x/data', HOME: '/h' })).toBe('/x/data/soai');
  expect(dataDir(defaults, { HOME: '/h' })).toBe('/h/.local/share/soai');
  const own = settingsSchema.parse({ SYSTEM: { PATHS: { SYSTEM_DATA: 'd' } } });
  expect(dataDir(own, {}, '/base')).toBe('/base/d');
});

test('a relative XDG directory is ignored, as its specification asks', () => {
  expect(cacheDir({ XDG_CACHE_HOME: 'cache', HOME: '/h' })).toBe('/h/.cache/soai');
  expect(cacheDir({ XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe('/c/soai');
});
