/**
 * What every setting tells about itself. The reference, `example.yaml` and the JSON schema are
 * generated from it, so a setting without a description does not compile.
 */
import { z } from 'zod';

export interface SettingMeta {
  /** For the person who edits the file: what it does, when to change it. */
  readonly description: string;
  /** Unit of a number, as the reference prints it. */
  readonly unit?: 'seconds' | 'bytes' | 'tasks' | 'calls' | 'processes' | 'tokens';
  /** What applies a change of it (spec D8). */
  readonly reload: 'restart' | 'reload';
  /** Never printed, logged or sent. */
  readonly secret?: true;
}

/** Node's timers overflow past 2^31-1 ms and then fire at once. */
const LONGEST_TIMER_SEC = 2_147_483;

/** Attaches the meta last: zod keeps it by instance, so `.default()` after it would lose it. */
export function setting<T extends z.ZodType>(schema: T, meta: Omit<SettingMeta, 'reload'> & Partial<SettingMeta>): T {
  return schema.meta({ reload: 'restart', ...meta });
}

/** A nested group; absent in the file means all of its defaults. */
export function section<T extends z.ZodRawShape>(description: string, shape: T) {
  return z
    .strictObject(shape)
    .prefault({} as never)
    .meta({ description });
}

/** A time in seconds; fractions are accepted so that tests can run fast (spec J). */
export function seconds(fallback: number, description: string, minimum: 'positive' | 'zero' = 'positive') {
  const number = minimum === 'zero' ? z.number().min(0) : z.number().positive();
  return setting(number.max(LONGEST_TIMER_SEC).default(fallback), { description, unit: 'seconds' });
}

export function count(fallback: number, minimum: number, unit: SettingMeta['unit'], description: string) {
  return setting(z.int().min(minimum).default(fallback), unit ? { description, unit } : { description });
}

export function metaOf(schema: z.ZodType): Partial<SettingMeta> {
  return schema.meta() ?? {};
}
