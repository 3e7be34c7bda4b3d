/** Forms of the names a settings file gives to plugins, models and virtual models. */
import { z } from 'zod';

/** Names a directory under SYSTEM_DATA too, hence no separators and no leading dot. */
export const pluginId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 ASCII letters, digits, ".", "_" or "-", starting with a letter or digit',
  );

const notAPath = (name: string) => !name.split('/').includes('..');
const hasLetterOrDigit = (name: string) => /[A-Za-z0-9]/.test(name);

/** Catalogue ids and aliases: D2's letters and `:`, `@`, `+`, which model registries use. */
export const modelName = z
  .string()
  .regex(/^[A-Za-z0-9 /_.:@+-]{1,128}$/, 'must be 1 to 128 ASCII letters, digits, spaces or / _ . : @ + -')
  .refine(hasLetterOrDigit, 'needs at least one letter or digit')
  .refine(notAPath, 'must not contain a ".." path segment')
  .refine((name) => name === name.trim(), 'must not start or end with a space');

/** Spec D2. */
export const virtualModelName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9 /_.-]{1,128}$/, 'must be 1 to 128 ASCII letters, digits, spaces or / _ . -')
  .refine(hasLetterOrDigit, 'needs at least one letter or digit')
  .refine((name) => !name.includes('..'), 'must not contain ".."');
