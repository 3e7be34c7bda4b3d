/** Settings as they may be shown: secrets replaced (house rule: never in logs, errors or output). */
import { z } from 'zod';
import { bare, child } from './schema-tree';
import { settingsSchema } from './schema';
import { metaOf } from './setting';

export const MASK = '********';

const SECRET_NAME = /key|token|secret|password|passphrase|credential|authorization|cookie/i;

/** The same tree with every secret masked; URLs keep everything but the password in them. */
export function maskSettings(settings: unknown): unknown {
  return mask(settings, settingsSchema, false);
}

function mask(value: unknown, schema: z.ZodType | null, secret: boolean): unknown {
  if (Array.isArray(value)) return value.map((each, i) => mask(each, schema && child(schema, i), secret));
  if (typeof value === 'object' && value !== null) {
    // Only a plugin's own settings have names this schema does not know.
    const free = schema !== null && bare(schema) instanceof z.ZodRecord ? true : schema === null;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const below = free ? null : schema && child(schema, key);
        return [key, mask(inner, below, secret || (free && isSecret(key, inner)))];
      }),
    );
  }
  if (value === null || value === undefined) return value;
  if (secret) return MASK;
  if (typeof value !== 'string') return value;
  const masked = maskUrlPassword(value);
  // A secret setting that is not a URL with a password in it (DATABASE.URL) is masked whole.
  return schema !== null && metaOf(schema).secret && masked === value && !URL.canParse(value) ? MASK : masked;
}

/** MAX_TOKENS: 4096 is a count, not a token. */
function isSecret(key: string, value: unknown): boolean {
  if (/tokens$/i.test(key) && typeof value === 'number') return false;
  return SECRET_NAME.test(key);
}

export function maskUrlPassword(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/^([^/]*\/\/[^/?#@:]*):[^/?#]*@/, `$1:${MASK}@`)
    .replace(/([?&][^=&#]*(?:key|token|secret|password)[^=&#]*=)[^&#]*/gi, `$1${MASK}`);
}
