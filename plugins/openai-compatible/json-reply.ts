import { UpstreamFailure, type AdapterReply } from '../adapter';
import type { Redact } from '../redact';
import { presentableError } from './error-body';
import type { Answer } from './exchange';
import { readText } from './read-text';

/** A 2xx that should be JSON: one object, no error (spec K, fault D16). @throws UpstreamFailure */
export async function jsonReply(answer: Answer, limit: number, redact: Redact): Promise<AdapterReply> {
  const type = mediaType(answer);
  const text = await readText(answer, limit);
  const value = parseObject(text, type);
  if (isError(value)) {
    throw new UpstreamFailure('malformed', `The backend answered ${answer.status} with an error in the body.`, {
      body: presentableError(text, redact),
    });
  }
  return { kind: 'json', text };
}

export function mediaType(answer: Answer): string {
  return (answer.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function parseObject(text: string, type: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') throw new UpstreamFailure('malformed', 'The backend answered with an empty body.');
  const kind = type === '' ? 'an untyped body' : type;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The parser's own message quotes the body, which may be anything.
    throw new UpstreamFailure('malformed', `The backend answered with ${kind} that is not whole, valid JSON.`);
  }
  throw new UpstreamFailure('malformed', `The backend answered with ${kind} that is no JSON object.`);
}

/** A Responses object carries its run's own `error`; it is an answer, and says so by its `object`. */
function isError(value: Readonly<Record<string, unknown>>): boolean {
  return Boolean(value.error) && value.object !== 'response';
}
