import type { z } from 'zod';

/** The value by its schema; it must have no field that the schema does not document. */
export function strictly<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.parse(value);
  expect(value).toEqual(parsed);
  return parsed;
}
