/** A JSON schema as rows of a table: every field with its path, its type and its description. */
import type { JsonSchema } from '../management/openapi';

export interface Field {
  /** `plan[].model`, `circuit.state` */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export function fieldsOf(schema: JsonSchema, prefix = ''): readonly Field[] {
  const alternatives = objectAlternatives(schema);
  if (alternatives.length > 1) return alternatives.flatMap((alternative) => fieldsOf(alternative, prefix));
  const object = alternatives[0] ?? schema;
  return Object.entries(object.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const field: Field = {
      path,
      type: typeOf(property),
      required: object.required?.includes(name) ?? false,
      description: typeof property['description'] === 'string' ? property['description'] : '',
    };
    return [field, ...nested(property, path)];
  });
}

function nested(property: JsonSchema, path: string): readonly Field[] {
  const items = itemsOf(property);
  if (items) return fieldsOf(items, `${path}[].`);
  return objectAlternatives(property).flatMap((object) => fieldsOf(object, `${path}.`));
}

export function typeOf(schema: JsonSchema): string {
  const alternatives = anyOf(schema);
  if (alternatives) return alternatives.map(typeOf).join(' or ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${String(value)}\``).join(', ');
  if (schema['const'] !== undefined) return `\`${schema['const'] as string}\``;
  const items = itemsOf(schema);
  if (items) return `array of ${typeOf(items)}`;
  const type = schema['type'];
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any';
}

/** The object itself, or those an `anyOf`/`oneOf` chooses from. */
function objectAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.properties) return [schema];
  return (anyOf(schema) ?? []).filter((alternative) => alternative.properties !== undefined);
}

function anyOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  return (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
}

function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  return schema['type'] === 'array' ? (schema['items'] as JsonSchema) : undefined;
}
