/** The log store over the management API. */
import { z } from 'zod';

export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

const source = z
  .string()
  .regex(/^(core|plugin:[A-Za-z0-9][A-Za-z0-9._-]{0,63})$/, 'must be "core" or "plugin:" and a plugin\'s id')
  .default('core')
  .meta({ description: '`core`, or `plugin:` and the id of a plugin.' });

const level = logLevel.optional().meta({ description: 'The least severe level wanted.' });
const text = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'Anywhere in message or fields, without regard to case.' });

export const logQuery = z.strictObject({
  source,
  level,
  text,
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(40).optional(),
});

export const logFollow = z.strictObject({
  source,
  level,
  text,
  after: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'Id of the last entry seen; up to 500 later ones come first.' }),
});

export const logEntry = z.object({
  id: z.string(),
  time: z.number(),
  level: logLevel,
  source: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
});

export type LogEntryView = z.infer<typeof logEntry>;
