/**
 * Reads one chunk of a chat or completions stream.
 *
 * | part of a choice                                                          | is                 |
 * |---------------------------------------------------------------------------|--------------------|
 * | non-empty `finish_reason`                                                 | content            |
 * | non-empty `text`                                                          | content            |
 * | any member of `delta` but `role` with a non-empty string, array or object | content            |
 * | `role`, empty or null members                                             | preamble           |
 * | `index` missing                                                           | choice 0           |
 */
import { isRecord } from './failed-answer';

export interface Choice {
  readonly index: number;
  /** The choice as parsed, to be written back. */
  readonly fields: Record<string, unknown>;
  delta: Record<string, unknown> | null;
}

export interface Chunk {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Null when this is some other JSON object. */
  readonly choices: readonly Choice[] | null;
}

/** Null: not a JSON object. */
export function readChunk(data: string): Chunk | null {
  let fields: unknown;
  try {
    fields = JSON.parse(data);
  } catch {
    return null; // A broken line; the stream counts it.
  }
  if (!isRecord(fields)) return null;
  const choices = fields['choices'];
  return { fields, choices: Array.isArray(choices) && choices.every(isRecord) ? choices.map(readChoice) : null };
}

export function hasContent(choice: Choice): boolean {
  if (finishReasonOf(choice) !== null || isFilled(choice.fields['text'])) return true;
  return Object.entries(choice.delta ?? {}).some(([name, value]) => name !== 'role' && isFilled(value));
}

export function finishReasonOf(choice: Choice): string | null {
  const reason = choice.fields['finish_reason'];
  return typeof reason === 'string' && reason !== '' ? reason : null;
}

function readChoice(fields: Record<string, unknown>): Choice {
  const { index, delta } = fields;
  return { index: typeof index === 'number' ? index : 0, fields, delta: isRecord(delta) ? delta : null };
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0;
  return isRecord(value) && Object.keys(value).length > 0;
}
