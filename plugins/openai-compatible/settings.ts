import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { isForbiddenAddress } from './forbidden-address';

/** Set by the transport itself, or by API_KEY. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

export const headerValue = z
  .string()
  .refine((value) => accepts(() => validateHeaderValue('x', value)), 'has a character that no header may carry');

const headerName = z
  .string()
  .refine((name) => accepts(() => validateHeaderName(name)), 'is no header name')
  .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), 'is a header that the transport sets');

/** S1: http or https, nothing hidden in it, not a metadata service. */
export const baseUrl = z.string().superRefine((text, context) => {
  const fault = (message: string): void => context.addIssue({ code: 'custom', message });
  if (!URL.canParse(text)) {
    fault('is no URL');
    return;
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') fault('must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') fault('must not hold credentials; use API_KEY');
  if (url.search !== '' || url.hash !== '') fault('must not have a query or a fragment');
  if (isForbiddenAddress(url.hostname)) fault('is a link-local or metadata address');
});

export const apiKey = headerValue
  .min(1)
  .meta({ secret: true, description: 'Sent as a bearer token. Leave it out for backends without authentication.' });

export const maxReplyBytes = z
  .int()
  .min(1024)
  .default(64 * 1024 * 1024)
  .meta({ description: 'Largest reply that is not a stream, decompressed, in bytes.' });

export const settings = z.strictObject({
  BASE_URL: baseUrl.meta({
    description: 'Where the API begins, its version included, e.g. http://127.0.0.1:8000/v1.',
  }),
  API_KEY: apiKey.optional(),
  HEADERS: z
    .record(headerName, headerValue.meta({ secret: true }))
    .default({})
    .meta({ description: 'Further headers for every request. Their values are kept secret.' }),
  ORGANIZATION: headerValue.optional().meta({ description: 'Sent as OpenAI-Organization.' }),
  MODELS_PATH: z
    .string()
    .startsWith('/')
    .default('/models')
    .meta({ description: 'Below BASE_URL; lists the models and serves as the health check.' }),
  MAX_REPLY_BYTES: maxReplyBytes,
});

export type Settings = z.infer<typeof settings>;
