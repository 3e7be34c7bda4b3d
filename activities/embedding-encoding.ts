/**
 * Embeddings in the encoding that the client asked for, whichever the backend speaks (case T93).
 *
 * | client asked for              | backend answers floats        | backend answers base64         |
 * |-------------------------------|-------------------------------|--------------------------------|
 * | `float`, or nothing           | as it came                    | decoded                        |
 * | `base64`                      | float32, little-endian        | as it came                     |
 *
 * Each vector is judged on its own, so a backend may even mix them. Nothing but the vectors changes,
 * and an answer that needs no change keeps the backend's bytes.
 */
import { isRecord, malformed, type DescribedFailure } from '../workflows/rules/failed-answer';
import { editMembers } from '../workflows/rules/json-edit';
import type { FailureFacts } from '../workflows/rules/retry';

export type EmbeddingEncoding = 'float' | 'base64';

type Body = Readonly<Record<string, unknown>>;

const BYTES_PER_FLOAT = 4;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** OpenAI's default is `float`; its SDKs ask for `base64` unless told otherwise. */
export const encodingAskedFor = (body: Body): EmbeddingEncoding =>
  body['encoding_format'] === 'base64' ? 'base64' : 'float';

/** @param text a JSON object with an array `data` */
export function inEncoding(
  text: string,
  encoding: EmbeddingEncoding,
): { readonly kind: 'answer'; readonly text: string } | { readonly kind: 'failure'; readonly facts: DescribedFailure } {
  const { data } = JSON.parse(text) as { data: readonly unknown[] };
  let changed = false;
  const items: unknown[] = [];
  for (const item of data) {
    const embedding = isRecord(item) ? item['embedding'] : undefined;
    const converted = encoding === 'float' ? asFloats(embedding) : asBase64(embedding);
    if (converted === null) {
      return { kind: 'failure', facts: malformed('the answer holds an embedding that is no vector of numbers') };
    }
    changed ||= converted !== embedding;
    items.push(converted === embedding ? item : { ...(item as Body), embedding: converted });
  }
  if (!changed) return { kind: 'answer', text };
  return { kind: 'answer', text: editMembers(text, { data: { kind: 'set', json: JSON.stringify(items) } }) };
}

/**
 * The body to ask once more with, for a backend that refuses `encoding_format` itself; null when the
 * refusal is about something else.
 */
export function withoutRejectedEncoding(body: Body, failure: FailureFacts, refusal: string): Body | null {
  const refused = failure.kind === 'status' && (failure.status === 400 || failure.status === 422);
  if (!refused || !Object.hasOwn(body, 'encoding_format') || !refusal.includes('encoding_format')) return null;
  const { encoding_format: _refused, ...rest } = body;
  return rest;
}

function asFloats(embedding: unknown): readonly number[] | null {
  if (isVector(embedding)) return embedding;
  const bytes = bytesOf(embedding);
  if (bytes === null) return null;
  const floats = Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, at) =>
    bytes.readFloatLE(at * BYTES_PER_FLOAT),
  );
  // JSON has no words for what is not finite.
  return floats.every(Number.isFinite) ? floats : null;
}

function asBase64(embedding: unknown): string | null {
  if (bytesOf(embedding) !== null) return embedding as string;
  if (!isVector(embedding)) return null;
  const bytes = Buffer.alloc(embedding.length * BYTES_PER_FLOAT);
  for (const [at, value] of embedding.entries()) {
    if (!Number.isFinite(Math.fround(value))) return null;
    bytes.writeFloatLE(value, at * BYTES_PER_FLOAT);
  }
  return bytes.toString('base64');
}

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'number');

function bytesOf(value: unknown): Buffer | null {
  if (typeof value !== 'string' || !BASE64.test(value)) return null;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length % BYTES_PER_FLOAT === 0 ? bytes : null;
}
