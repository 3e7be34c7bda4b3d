/**
 * What every database must do alike. Run against SQLite by `store/sqlite.spec.ts` and against
 * PostgreSQL by `test/store/postgres.spec.ts`.
 */
import { acceptance } from './acceptance';
import { catalogue } from './catalogue';
import { downloads } from './downloads';
import { endings } from './endings';
import { idempotency } from './idempotency';
import { leases } from './leases';
import { listing } from './listing';
import { operations } from './operations';
import { people } from './people';
import { pluginStates } from './plugin-states';
import { pluginPackages } from './plugin-packages';
import { recovery } from './recovery';
import { seats } from './seats';
import { responses } from './responses';
import type { OpenStore } from './subject';
import { usage } from './usage';

// Each test syncs to a disk that other tests are using too.
jest.setTimeout(30_000);

export function storeConformance(open: OpenStore): void {
  describe('accepting', () => acceptance(open));
  describe('idempotency keys', () => idempotency(open));
  describe('leases', () => leases(open));
  describe('seats', () => seats(open));
  describe('endings', () => endings(open));
  describe('recovery', () => recovery(open));
  describe('lists', () => listing(open));
  describe('accounts, keys and sessions', () => people(open));
  describe('usage', () => usage(open));
  describe('processes and lifecycle', () => operations(open));
  describe('catalogue', () => catalogue(open));
  describe('downloads', () => downloads(open));
  describe('plugin states', () => pluginStates(open));
  describe('plugin packages', () => pluginPackages(open));
  describe('responses', () => responses(open));
}
