/** The settings in the schema's order, as the generated documents show them. */
import { z } from 'zod';
import { bare, child, childNames } from '../schema-tree';
import { metaOf, type SettingMeta } from '../setting';

export interface Entry {
  readonly name: string;
  /** Dotted; `[]` marks an entry of a list, e.g. `PLUGINS[].ID`. */
  readonly path: string;
  readonly description: string;
  readonly meta: Partial<SettingMeta>;
  /** undefined: it must be given. */
  readonly fallback: unknown;
  readonly type: string;
  /** Settings below a group, or of each entry of a list of groups. */
  readonly children: readonly Entry[];
  readonly kind: 'group' | 'list' | 'value';
}

export function entriesOf(schema: z.ZodType, prefix = ''): readonly Entry[] {
  return childNames(schema).map((name) => {
    const here = child(schema, name) as z.ZodType;
    const inner = bare(here);
    const path = prefix + name;
    const isGroup = inner instanceof z.ZodObject;
    const element = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : null;
    const isList = element !== null && bare(element) instanceof z.ZodObject;
    const meta = metaOf(here);
    return {
      name,
      path,
      description: meta.description ?? '',
      meta,
      fallback: here instanceof z.ZodDefault ? here.def.defaultValue : undefined,
      type: typeOf(here),
      children: isGroup ? entriesOf(here, `${path}.`) : isList ? entriesOf(element, `${path}[].`) : [],
      kind: isGroup ? 'group' : isList ? 'list' : 'value',
    };
  });
}

function typeOf(schema: z.ZodType): string {
  const inner = bare(schema);
  const orNull = schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodNullable ? ' or null' : '';
  if (inner instanceof z.ZodEnum) return inner.options.join(', ');
  if (inner instanceof z.ZodArray) {
    const element = bare(inner.element as z.ZodType);
    return element instanceof z.ZodObject ? 'list of groups' : `list of ${typeOf(element)}`;
  }
  if (inner instanceof z.ZodNumber) return `${inner.format === 'safeint' ? 'whole number' : 'number'}${orNull}`;
  if (inner instanceof z.ZodBoolean) return 'true, false';
  if (inner instanceof z.ZodObject || inner instanceof z.ZodRecord) return 'group';
  return `text${orNull}`;
}
