/** Where each setting in force came from. */
import { dotted, type SettingPath, type SettingSource } from './fault';
import type { Override } from './overrides';
import type { SettingsFile } from './settings-file';

export interface Origin {
  readonly source: 'default' | 'file' | 'env' | 'flag';
  readonly file?: string;
  readonly line?: number;
  /** The variable or the flag. */
  readonly name?: string;
}

/** Keyed by dotted path; groups and list entries (`MODELS.ROUTING.VIRTUAL_MODELS.0`) have theirs too. */
export type Origins = Readonly<Record<string, Origin>>;

export function originsOf(settings: unknown, overrides: readonly Override[], file: SettingsFile | null): Origins {
  const origins: Record<string, Origin> = {};
  const visit = (value: unknown, path: SettingPath) => {
    if (path.length > 0) origins[dotted(path)] = describe(sourceOf(path, overrides, file, 'key'));
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) visit(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  visit(settings, []);
  return origins;
}

/** The last override that covers the path, else its place in the file, else null: a default. */
export function sourceOf(
  path: SettingPath,
  overrides: readonly Override[],
  file: SettingsFile | null,
  part: 'key' | 'value',
): SettingSource | null {
  const covering = overrides.findLast((override) => override.path.every((key, i) => String(path[i]) === String(key)));
  return covering?.source ?? file?.locate(path, part) ?? null;
}

function describe(source: SettingSource | null): Origin {
  if (source === null) return { source: 'default' };
  if (source.kind !== 'file') return { source: source.kind, name: source.name };
  return { source: 'file', file: source.file, ...(source.line === null ? {} : { line: source.line }) };
}
