import { join } from 'node:path';
import pino from 'pino';
import { settingsSchema, type Settings } from '../config/schema';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import { temporaryDirectories } from '../test/store/temporary-directory';
import { Catalogue } from './catalogue';

const newDirectory = temporaryDirectories();
const SETTINGS = settingsSchema.parse({
  MODELS: {
    CATALOG: ['c1', 'c2'].map((ID) => ({ ID, PLUGIN: 'p', UPSTREAM_MODEL: 'u', ALIASES: [`${ID}-alias`] })),
    ROUTING: { VIRTUAL_MODELS: [{ NAME: 'Team', STRATEGY: 'failover', MEMBERS: ['c2', 'c1'] }] },
  },
});

const row = (id: string) => ({
  id,
  pluginId: 'p',
  upstreamModel: id,
  aliases: [`${id}-alias`],
  capabilities: ['chat'],
  modalities: ['text'],
  contextTokens: null,
  enabled: true,
  createdAt: 7,
});

const virtualRow = (name: string) => ({
  name,
  strategy: 'load_balancing' as const,
  members: ['c1', 'd1'],
  enabled: false,
  createdAt: 7,
  updatedAt: 8,
});

describe('the catalogue', () => {
  let dataDir: string;
  let store: Store;
  let catalogue: Catalogue;
  let warnings: unknown[];

  const catalogueOver = (settings: Settings): Catalogue => {
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
    return new Catalogue(settings, store.catalogue, 5, log);
  };

  beforeEach(async () => {
    warnings = [];
    dataDir = join(newDirectory(), 'data');
    store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
    catalogue = catalogueOver(SETTINGS);
  });
  afterEach(async () => {
    catalogue.stop();
    await store.close();
  });

  test('D8: the settings file and the database make one catalogue', async () => {
    await store.catalogue.addModel(row('d1'));
    await store.catalogue.addVirtualModel(virtualRow('pool'));
    await catalogue.refresh();
    expect(catalogue.all().map(({ id, origin }) => [id, origin])).toEqual([
      ['c1', 'config'],
      ['c2', 'config'],
      ['d1', 'database'],
    ]);
    expect(catalogue.find('d1-alias')?.id).toBe('d1');
    expect(catalogue.virtuals()).toEqual([
      {
        name: 'Team',
        strategy: 'failover',
        members: ['c2', 'c1'],
        enabled: true,
        origin: 'config',
        createdAt: 5,
        updatedAt: 5,
      },
      { ...virtualRow('pool'), origin: 'api' },
    ]);
    expect(warnings).toEqual([]);
  });

  test('D2: a virtual model is found without regard to case, a disabled one too', async () => {
    await store.catalogue.addVirtualModel(virtualRow('pool'));
    await catalogue.refresh();
    expect(catalogue.virtual('tEAM')?.name).toBe('Team');
    expect(catalogue.virtual('POOL')?.enabled).toBe(false);
    expect(catalogue.virtual('c1')).toBeUndefined();
  });

  test('D2: what the database has under a name of the settings file is left out, and said once', async () => {
    await store.catalogue.addModel(row('TEAM'));
    await store.catalogue.addModel({ ...row('d2'), aliases: ['C1-ALIAS', 'own'] });
    await store.catalogue.addVirtualModel(virtualRow('C2'));
    await catalogue.refresh();
    await catalogue.refresh();
    expect(catalogue.all().map(({ id }) => id)).toEqual(['c1', 'c2', 'd2']);
    expect(catalogue.find('d2')?.aliases).toEqual(['own']);
    expect(catalogue.find('c1-alias')?.id).toBe('c1');
    expect(catalogue.virtuals().map(({ name }) => name)).toEqual(['Team']);
    expect(warnings).toMatchObject([{ model: 'TEAM' }, { model: 'C2' }]);
  });

  test('D8: another process sees a change within a second', async () => {
    await catalogue.refresh();
    catalogue.watch();
    const other = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
    const changed = new Promise<void>((resolve) => catalogue.onChange(resolve));
    const asked = performance.now();
    await other.catalogue.addVirtualModel(virtualRow('pool'));
    await other.close();
    await changed;
    expect(catalogue.virtual('pool')).toBeDefined();
    expect(performance.now() - asked).toBeLessThan(5_000);
  });

  test('a listener hears of each refresh until it unsubscribes', async () => {
    const heard = jest.fn();
    const unsubscribe = catalogue.onChange(heard);
    await catalogue.refresh();
    unsubscribe();
    await catalogue.refresh();
    expect(heard).toHaveBeenCalledTimes(1);
  });
});
