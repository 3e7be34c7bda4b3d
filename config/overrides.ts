/** One setting given on the command line or in the environment, and how it is laid over the file. */
import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { Fault, SettingPath, SettingSource } from './fault';
import { bare, resolvePath } from './schema-tree';
import { settingsSchema } from './schema';
import { unknownSetting } from './suggest';

export interface Override {
  readonly path: SettingPath;
  readonly value: unknown;
  readonly source: Exclude<SettingSource, { kind: 'file' }>;
}

export function parseOverride(
  segments: readonly string[],
  text: string,
  source: Override['source'],
): { override: Override } | { fault: Fault } {
  const target = resolvePath(settingsSchema, segments);
  if (!target.ok) {
    const name = target.at.at(-1) ?? '';
    const message = unknownSetting(name, target.parent, settingsSchema);
    return { fault: { path: target.at.join('.') || null, message, source } };
  }
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  const isText = bare(target.schema) instanceof z.ZodString;
  if (document.errors.length > 0 && !isText) {
    return { fault: { path: target.path.join('.'), message: 'is not a YAML value', source } };
  }
  const parsed: unknown = document.errors.length > 0 ? text : document.toJS();
  // A name such as 123 or a URL with ": " in it is text, whatever YAML would make of it.
  const value = isText && parsed !== null && typeof parsed !== 'string' ? text : parsed;
  return { override: { path: target.path, value, source } };
}

/**
 * Lays them over `data`, in place, the broader before the narrower. A place the file has filled
 * with something that can hold no settings stays as it is, so that its own fault is reported.
 */
export function applyOverrides(data: Record<string, unknown>, overrides: readonly Override[]): void {
  for (const { path, value } of overrides) {
    let current: unknown = data;
    for (const [i, key] of path.slice(0, -1).entries()) {
      if (!isContainer(current)) break;
      current[key] ??= typeof path[i + 1] === 'number' ? [] : {};
      current = current[key];
    }
    const last = path.at(-1);
    if (last !== undefined && isContainer(current)) current[last] = value;
  }
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}
