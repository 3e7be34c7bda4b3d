/** Reads the schema as a tree of names, for overrides, suggestions, secrets and the reference. */
import { z } from 'zod';
import type { SettingPath } from './fault';

/** The schema without its default, nullable and refinement wrappers. */
export function bare(schema: z.ZodType): z.ZodType {
  let current = schema;
  while (
    current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault ||
    current instanceof z.ZodNullable ||
    current instanceof z.ZodOptional
  ) {
    current = current.unwrap() as z.ZodType;
  }
  return current;
}

/** Names that may stand below it, in the schema's order; none for anything but a group. */
export function childNames(schema: z.ZodType): readonly string[] {
  const inner = bare(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** The schema one step down, or null where nothing of that name may stand. */
export function child(schema: z.ZodType, key: string | number): z.ZodType | null {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    return Object.hasOwn(inner.shape, key) ? (inner.shape[key] as z.ZodType) : null;
  }
  if (inner instanceof z.ZodArray) return /^\d{1,4}$/.test(String(key)) ? (inner.element as z.ZodType) : null;
  if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
  return inner instanceof z.ZodUnknown ? inner : null;
}

export function schemaAt(root: z.ZodType, path: SettingPath): z.ZodType | null {
  let current: z.ZodType | null = root;
  for (const key of path) {
    if (current === null) return null;
    current = child(current, key);
  }
  return current;
}

/** Dotted paths of groups that hold a setting of this name; entries of lists left aside. */
export function groupsWith(name: string, root: z.ZodType, path: readonly string[] = []): string[] {
  return childNames(root).flatMap((key) => {
    const next = child(root, key);
    const here = path.length > 0 && key === name.toUpperCase() ? [path.join('.')] : [];
    return next === null ? here : [...here, ...groupsWith(name, next, [...path, key])];
  });
}

/** A dotted path with list positions as numbers, or where and why it leaves the schema. */
export function resolvePath(
  root: z.ZodType,
  segments: readonly string[],
): { ok: true; path: (string | number)[]; schema: z.ZodType } | { ok: false; at: string[]; parent: z.ZodType } {
  let current = root;
  const path: (string | number)[] = [];
  for (const [i, segment] of segments.entries()) {
    const next = child(current, segment);
    if (next === null) return { ok: false, at: segments.slice(0, i + 1), parent: current };
    path.push(bare(current) instanceof z.ZodArray ? Number(segment) : segment);
    current = next;
  }
  return { ok: true, path, schema: current };
}
