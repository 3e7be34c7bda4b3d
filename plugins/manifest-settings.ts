import { z } from 'zod';
import type { PluginManifest } from './adapter';

export interface SettingFault {
  /** Dotted, e.g. `HEADERS.X-Tenant`; empty for the settings as a whole. */
  readonly setting: string;
  readonly message: string;
}

export type CheckedSettings =
  | { readonly valid: true; readonly settings: Readonly<Record<string, unknown>> }
  | { readonly valid: false; readonly faults: readonly SettingFault[] };

/** SETTINGS of a settings file against the package's schema: defaults filled in, or every fault at once (spec J). */
export function checkSettings(manifest: PluginManifest, settings: unknown): CheckedSettings {
  const parsed = manifest.settings.safeParse(settings ?? {});
  if (parsed.success) return { valid: true, settings: parsed.data };
  const faults = parsed.error.issues.flatMap((issue): SettingFault[] => {
    const at = (path: readonly PropertyKey[]): string => path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ setting: at([...issue.path, key]), message: 'unknown setting' }));
    }
    if (issue.code === 'invalid_key') {
      // The reason is one level down; zod words the outer issue as "Invalid key in record".
      return issue.issues.map(({ message }) => ({ setting: at(issue.path), message }));
    }
    return [{ setting: at(issue.path), message: issue.message }];
  });
  return { valid: false, faults };
}

/**
 * Dotted names of the settings that hold secrets, to be hidden wherever settings are shown. `*`
 * stands for every key of a record, e.g. `HEADERS.*`.
 */
export function secretSettings(manifest: PluginManifest): string[] {
  const schema = z.toJSONSchema(manifest.settings, { io: 'input', unrepresentable: 'any' });
  const found: string[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (typeof node !== 'object' || node === null) return;
    const { secret, properties, additionalProperties } = node as Record<string, unknown>;
    if (secret === true) found.push(path.join('.'));
    for (const [name, child] of Object.entries(properties ?? {})) visit(child, [...path, name]);
    visit(additionalProperties, [...path, '*']);
  };
  visit(schema, []);
  return found;
}
