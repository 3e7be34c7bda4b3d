/** Every list answers `{data, next_cursor}` (spec J). */
import { z } from 'zod';

export const noQuery = z.strictObject({});

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Pass as `cursor` for the next page; null on the last.' }),
  });
}

/** For lists short enough to need no pages. */
export function whole<T>(data: readonly T[]): { data: T[]; next_cursor: null } {
  return { data: [...data], next_cursor: null };
}
