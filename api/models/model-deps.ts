/** What managing models and virtual models needs from the rest of the process. */
import type { Logger } from 'pino';
import type { Catalogue } from '../../activities/catalogue';
import type { Circuits } from '../../activities/circuits';
import type { Downloads } from '../../activities/downloads';
import type { PluginHost } from '../../activities/plugin-host';
import type { Origins } from '../../config/origins';
import type { RoutingSettings } from '../../config/schema';
import type { Catalogue as CatalogueStore } from '../../store/store';

/** Cooldowns after failures (D6, D7); ms since the epoch, 0 when none runs. */
export interface Cooldowns {
  memberUntil(modelId: string): number;
  virtualUntil(name: string): number;
}

export interface ModelDeps {
  readonly catalogue: Catalogue;
  readonly store: CatalogueStore;
  readonly plugins: Pick<PluginHost, 'get'>;
  readonly circuits: Pick<Circuits, 'view'>;
  readonly cooldowns: Cooldowns;
  readonly downloads: Downloads;
  /** Where the settings came from, for what is read-only here. */
  readonly origins: Origins;
  readonly routing: RoutingSettings;
  readonly log: Logger;
  now(): number;
}
