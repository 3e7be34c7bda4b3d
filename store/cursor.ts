/** Keyset cursors: where a list ended, opaque to clients. */
import { InvalidCursor } from './errors';

export interface Position {
  readonly at: number;
  readonly id: string;
}

export const toCursor = ({ at, id }: Position): string => Buffer.from(JSON.stringify([at, id])).toString('base64url');

export function fromCursor(cursor: string): Position {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw new InvalidCursor();
  }
  if (!Array.isArray(parsed) || parsed.length !== 2) throw new InvalidCursor();
  const [at, id] = parsed as [unknown, unknown];
  if (!Number.isSafeInteger(at) || typeof id !== 'string') throw new InvalidCursor();
  const position = { at: at as number, id };
  // What decodes leniently (padding, stray characters) is not what was handed out.
  if (toCursor(position) !== cursor) throw new InvalidCursor();
  return position;
}
