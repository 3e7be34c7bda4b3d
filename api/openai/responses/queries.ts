/** The query parameters of the responses routes (contract 5). */
import { z } from 'zod';

const MAX_ID = 128;
const MAX_PAGE = 100;

export const retrieveQuery = z.looseObject({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});

export const inputItemsQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().min(1).max(MAX_ID).optional(),
});

export type InputItemsQuery = z.infer<typeof inputItemsQuery>;
