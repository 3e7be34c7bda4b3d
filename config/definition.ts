/** Where the settings define something, and what applies a change there (spec D8). */
import { dotted, type SettingPath } from './fault';
import type { Origins } from './origins';
import { schemaAt } from './schema-tree';
import { settingsSchema } from './schema';
import { metaOf } from './setting';

export interface Definition {
  /** FILE:LINE, or the variable or flag. */
  readonly place: string;
  readonly appliedBy: 'restart' | 'reload';
}

/** For an entry of a list, e.g. `MODELS.ROUTING.VIRTUAL_MODELS.0`. */
export function definitionOf(path: SettingPath, origins: Origins): Definition {
  const { file, line, name, source } = origins[dotted(path)] ?? { source: 'default' };
  const place = file === undefined ? (name ?? source) : [file, line].filter((part) => part !== undefined).join(':');
  const list = schemaAt(settingsSchema, path.slice(0, -1));
  return { place, appliedBy: (list && metaOf(list).reload) ?? 'restart' };
}
