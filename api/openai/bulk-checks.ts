/**
 * Checks of the parts of a body that can hold millions of elements, as plain loops: a schema's cost
 * an element would let one 32 MiB body hold the event loop for seconds (S35, S52).
 */
import { z } from 'zod';

type Path = (string | number)[];
export type Report = (code: 'invalid_type' | 'custom', path: Path, message: string) => void;

const MAX_MESSAGES = 65_536;
const MAX_TOKENS_IN_ARRAY = 1_000_000;

/**
 * A required array, judged element by element by `judge`, which stops at its first fault.
 * @param element JSON schema of an element, for the reference alone
 */
export function bulkArray(
  name: string,
  judge: (items: readonly unknown[], report: Report) => void,
  element: object = { type: 'object' },
): z.ZodType {
  const checked = z.unknown().check((context) => {
    let faulty = false;
    const report: Report = (code, path, message) => {
      faulty = true;
      const issue = code === 'invalid_type' ? { code, expected: 'unknown' as never } : { code };
      context.issues.push({ ...issue, path, message, input: context.value });
    };
    if (!Array.isArray(context.value)) report('invalid_type', [], `expected an array of ${name}`);
    else if (context.value.length === 0) report('custom', [], `needs at least one of the ${name}`);
    else judge(context.value, (...fault) => void (faulty || report(...fault)));
  });
  return checked.meta({ type: 'array', minItems: 1, items: element });
}

/** `messages` of a chat request: objects with a role, content null, text or typed parts. */
export const messages = bulkArray(
  'messages',
  (items, report) => {
    if (items.length > MAX_MESSAGES) return report('custom', [], `at most ${MAX_MESSAGES} messages`);
    for (const [index, item] of items.entries()) {
      if (!isObject(item)) return report('invalid_type', [index], 'expected an object');
      if (typeof item.role !== 'string') return report('invalid_type', [index, 'role'], 'expected a string');
      if (item.role === '') return report('custom', [index, 'role'], 'must not be empty');
      if (!isTypedParts(item.content, [index, 'content'], report)) return;
      if (isSet(item.tool_calls) && !(Array.isArray(item.tool_calls) && item.tool_calls.every(isObject))) {
        return report('invalid_type', [index, 'tool_calls'], 'expected an array of objects');
      }
    }
  },
  { type: 'object', required: ['role'], properties: { role: { type: 'string', minLength: 1 } } },
);

/** Text, several texts, token ids, or several lists of them: `input` of embeddings, `prompt` of completions. */
export function textOrTokens(maxItems: number): z.ZodType {
  const judge = (items: readonly unknown[], report: Report): void => {
    if (items.every(Number.isInteger)) {
      if (items.length > MAX_TOKENS_IN_ARRAY) report('custom', [], `at most ${MAX_TOKENS_IN_ARRAY} tokens`);
      return;
    }
    if (items.length > maxItems) return report('custom', [], `at most ${maxItems} inputs`);
    const wrong = items.findIndex((item) => typeof item !== 'string' && !isTokens(item));
    if (wrong >= 0) report('invalid_type', [wrong], 'expected a text or an array of token ids');
  };
  const element = { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }] };
  return z.union([z.string(), bulkArray('inputs', judge, element)]);
}

/** Nothing, a text, or an array of objects that name their type. */
export function isTypedParts(content: unknown, path: Path, report: Report): boolean {
  if (!isSet(content) || typeof content === 'string') return true;
  if (!Array.isArray(content)) return no(report('invalid_type', path, 'expected a text or an array of parts'));
  for (const [at, part] of content.entries()) {
    if (!isObject(part)) return no(report('invalid_type', [...path, at], 'expected an object'));
    if (typeof part.type !== 'string') return no(report('invalid_type', [...path, at, 'type'], 'expected a string'));
  }
  return true;
}

function no(_reported: void): false {
  return false;
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_TOKENS_IN_ARRAY && value.every(Number.isInteger);
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
