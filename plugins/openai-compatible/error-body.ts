import type { Redact } from '../redact';

/** Of an error body that is kept, in bytes (spec: activity failure details are cut at 4 KiB). */
export const MAX_ERROR_BODY_BYTES = 4096;

/**
 * A backend's error, fit to be shown: secrets out first, then cut, so that a cut can't spare half
 * of a secret. A long JSON error keeps its shape and loses the tail of its message.
 */
export function presentableError(body: string, redact: Redact): string {
  const safe = redact(body.trim());
  if (Buffer.byteLength(safe) <= MAX_ERROR_BODY_BYTES) return safe;
  const error = errorObject(safe);
  if (error === null || typeof error.message !== 'string') return cut(safe, MAX_ERROR_BODY_BYTES);
  const { type, param, code } = error;
  // Escapes make JSON up to six times as long as its text.
  const short = {
    message: cut(error.message, MAX_ERROR_BODY_BYTES / 8),
    type: brief(type),
    param: brief(param),
    code: brief(code),
  };
  return JSON.stringify({ error: short });
}

function errorObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function brief(value: unknown): string | number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? cut(value, 64) : null;
}

function cut(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  // In streaming mode a decoder holds back a character that was cut in two.
  return buffer.length <= bytes ? text : new TextDecoder().decode(buffer.subarray(0, bytes), { stream: true });
}
