/**
 * The `manifest.json` of a plugin package that is installed at run time. Such a package never gives
 * code to the server's own process: it says how to start a server of its own (docs/plugins.md).
 */
import { z } from 'zod';

/** Variables that make a program load foreign code (S48). */
const LOADER =
  /^(LD_.*|DYLD_.*|GCONV_PATH|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONPATH|BASH_ENV|ENV|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|PATH|HOME)$/i;

const text = z.string().max(2_000);
const word = z.string().regex(/^[^\0\r\n]{1,500}$/, 'must be one line of at most 500 characters');
const seconds = z.number().positive().max(3_600);

const field = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean']),
  description: text.default(''),
  required: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  enum: z.array(z.string()).min(1).max(200).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  secret: z.boolean().default(false),
});

export const packagedManifest = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits and "-", beginning with no "-"'),
  version: z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]{1,64})?$/, 'must be a version such as 1.2.3'),
  title: word,
  description: text.default(''),
  requires: z.strictObject({
    soai: word,
    platform: z
      .array(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)?$/))
      .min(1)
      .optional(),
    node: word.optional(),
  }),
  operations: z.array(z.enum(['chat', 'completions', 'embeddings', 'responses'])).min(1),
  one_model_at_a_time: z.boolean().default(false),
  backend: z.strictObject({
    command: z.array(word).min(1).max(100),
    health_path: z.string().startsWith('/').max(500).default('/health'),
    base_path: z
      .string()
      .regex(/^(\/[^\s?#]*)?$/, 'must be a path')
      .max(500)
      .default('/v1'),
    start_timeout_sec: seconds.default(120),
    stop_timeout_sec: seconds.default(10),
  }),
  settings: z
    .record(
      z
        .string()
        .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be upper-case letters, digits and "_"')
        .refine((name) => !LOADER.test(name), 'would change how the program itself is loaded'),
      field,
    )
    .default({}),
});

export type PackagedManifest = z.output<typeof packagedManifest>;

/** The settings a manifest declares, as the schema that judges them. */
export function settingsSchema(fields: PackagedManifest['settings']): z.ZodType<Record<string, unknown>> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, declared] of Object.entries(fields)) {
    const { description, secret } = declared;
    const schema = present(valueSchema(declared), declared);
    shape[name] = schema.meta({ description, ...(secret ? { secret: true } : {}) });
  }
  return z.strictObject(shape);
}

type Field = z.output<typeof field>;

function present(schema: z.ZodType, { default: fallback, required }: Field): z.ZodType {
  if (fallback !== undefined) return schema.default(fallback as never);
  return required ? schema : schema.optional();
}

function valueSchema({ type, enum: choices, minimum, maximum }: Field): z.ZodType {
  if (type === 'boolean') return z.boolean();
  if (type === 'string')
    return choices
      ? z.enum(choices)
      : z
          .string()
          .max(10_000)
          .refine((value) => !value.includes('\0'));
  let number = type === 'integer' ? z.int() : z.number();
  if (minimum !== undefined) number = number.min(minimum);
  return maximum === undefined ? number : number.max(maximum);
}
