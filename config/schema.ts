/**
 * Every setting of SoAI, once: names, defaults, units, descriptions (spec J).
 *
 * Checks that span several settings are in `cross-checks.ts`, so that they can be reported together
 * with the faults of single ones.
 */
import { z } from 'zod';
import { section } from './setting';
import { catalog } from './sections/catalog';
import { database } from './sections/database';
import { log } from './sections/log';
import { plugins } from './sections/plugins';
import { routing } from './sections/routing';
import { server } from './sections/server';
import { system } from './sections/system';
import { temporal } from './sections/temporal';
import { webhook } from './sections/webhook';

export const settingsSchema = z.strictObject({
  SYSTEM: system,
  SERVER: server,
  LOG: log,
  DATABASE: database,
  TEMPORAL: temporal,
  WEBHOOK: webhook,
  PLUGINS: plugins,
  MODELS: section('What is served, and how.', {
    CATALOG: catalog,
    ROUTING: routing,
  }),
});

export type Settings = z.output<typeof settingsSchema>;
export type PluginSettings = Settings['PLUGINS'][number];
export type CatalogModelSettings = Settings['MODELS']['CATALOG'][number];
export type RoutingSettings = Settings['MODELS']['ROUTING'];
export type VirtualModelSettings = RoutingSettings['VIRTUAL_MODELS'][number];
