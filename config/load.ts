/** Loads the settings: flag > environment > file > default, all faults at once (spec J). */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { crossCheck } from './cross-checks';
import { discoverSettingsFile, type Discovery } from './discover';
import { readEnvironment } from './environment';
import { dotted, type Fault, type SettingPath } from './fault';
import { readFlags, type Flags } from './flags';
import { findingsOf, withoutFaulty, type Finding } from './issues';
import { originsOf, sourceOf, type Origins } from './origins';
import { applyOverrides, type Override } from './overrides';
import { dataDir, expandHome } from './paths';
import { settingsSchema, type Settings } from './schema';
import { readSettingsFile, type SettingsFile } from './settings-file';

export interface LoadInput {
  readonly flags?: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export type LoadResult =
  | {
      readonly ok: true;
      /** SYSTEM_DATA is absolute in it. */
      readonly settings: Settings;
      readonly origins: Origins;
      /** null: no file was found, the defaults apply. */
      readonly file: string | null;
      readonly warnings: readonly Fault[];
    }
  | { readonly ok: false; readonly faults: readonly Fault[]; readonly file: string | null };

export function loadSettings({ flags = {}, env, cwd }: LoadInput): LoadResult {
  const found = discoverSettingsFile(flags.config, env, cwd);
  const missing = missingFile(found);
  const file = found.file === null || missing ? null : readSettingsFile(found.file);
  const fromEnv = readEnvironment(env);
  const fromFlags = readFlags(flags);
  const overrides = [...fromEnv.overrides, ...fromFlags.overrides];
  const early = [...(missing ? [missing] : []), ...(file?.faults ?? []), ...fromEnv.faults, ...fromFlags.faults];

  const data = structuredClone(file?.data ?? {});
  applyOverrides(data, overrides);
  const checked = check(data, overrides, file);
  const faults = [...early, ...checked.faults].sort(inReadingOrder);
  if (faults.length > 0 || checked.settings === null) return { ok: false, faults, file: found.file };

  const origins = originsOf(checked.settings, overrides, file);
  absolutePaths(checked.settings, origins, env, cwd);
  return { ok: true, settings: checked.settings, origins, file: found.file, warnings: checked.warnings };
}

/** By line of the file; faults from elsewhere after them, as they came. */
function inReadingOrder(a: Fault, b: Fault): number {
  const line = ({ source }: Fault) => (source?.kind === 'file' ? (source.line ?? 0) : Number.MAX_SAFE_INTEGER);
  return line(a) - line(b);
}

function missingFile(found: Discovery): Fault | null {
  if (found.namedBy === null || found.file === null || existsSync(found.file)) return null;
  const source = { kind: 'file', file: found.file, line: null, column: null } as const;
  return { path: null, message: `no such file (named by ${found.namedBy})`, source };
}

function check(data: Record<string, unknown>, overrides: readonly Override[], file: SettingsFile | null) {
  const place = (path: SettingPath, message: string, part: 'key' | 'value'): Fault => ({
    path: dotted(path) || null,
    message,
    source: nearestSource(path, overrides, file, part),
  });
  const parsed = settingsSchema.safeParse(data);
  const findings = parsed.success ? [] : findingsOf(parsed.error.issues, data);
  const sound = parsed.success ? parsed.data : soundPart(data, findings);
  const cross = sound === null ? [] : crossCheck(sound);
  const ofSeverity = (severity: 'fault' | 'warning') =>
    cross.filter((each) => each.severity === severity).map((each) => place(each.path, each.message, 'value'));
  return {
    settings: parsed.success ? parsed.data : null,
    faults: [...findings.map((each) => place(each.path, each.message, each.part)), ...ofSeverity('fault')],
    warnings: ofSeverity('warning'),
  };
}

/** As much of the settings as is valid by itself. */
function soundPart(data: Record<string, unknown>, findings: readonly Finding[]): Settings | null {
  const trimmed = withoutFaulty(data, findings, false);
  const parsed = settingsSchema.safeParse(trimmed);
  if (parsed.success) return parsed.data;
  // An entry that lacks a required part is left: its whole list goes.
  const rest = findingsOf(parsed.error.issues, trimmed);
  return settingsSchema.safeParse(withoutFaulty(trimmed, rest, true)).data ?? null;
}

/** A missing setting is pointed at through the closest group that somebody gave. */
function nearestSource(
  path: SettingPath,
  overrides: readonly Override[],
  file: SettingsFile | null,
  part: 'key' | 'value',
) {
  for (let length = path.length; length > 0; length--) {
    const source = sourceOf(path.slice(0, length), overrides, file, length === path.length ? part : 'key');
    if (source !== null) return source;
    const within = overrides.findLast((override) => path.slice(0, length).every((key, i) => override.path[i] === key));
    if (within) return within.source;
  }
  return null;
}

/** Relative paths count from the file that gives them, those from flags and variables from `cwd`. */
function absolutePaths(settings: Settings, origins: Origins, env: LoadInput['env'], cwd: string): void {
  const base = (path: string) => {
    const origin = origins[path];
    return origin?.file === undefined ? cwd : dirname(origin.file);
  };
  settings.SYSTEM.PATHS.SYSTEM_DATA = dataDir(settings, env, base('SYSTEM.PATHS.SYSTEM_DATA'));
  const binary = settings.TEMPORAL.BINARY;
  if (binary?.includes('/')) settings.TEMPORAL.BINARY = resolve(base('TEMPORAL.BINARY'), expandHome(binary, env));
}
