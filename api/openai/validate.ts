/** Judges a client's body by a schema and words the first fault as OpenAI does: code, param, sentence. */
import type { z } from 'zod';
import { AppError } from '../errors/app-error';

/** Returns what the schema makes of it: defaults filled in, query parameters as numbers. */
export function validate<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = deepest(result.error.issues[0]!);
  const param = paramName(issue.path);
  const wrongType = issue.code === 'invalid_type' || issue.code === 'invalid_union';
  if (wrongType && valueAt(body, issue.path) === undefined)
    throw new AppError('missing_required_parameter', { param, message: `Missing required parameter: '${param}'.` });
  throw new AppError(wrongType ? 'invalid_type' : 'invalid_value', {
    param: param || null,
    message: `Invalid '${param || 'body'}': ${sentence(issue.message)}`,
  });
}

interface Fault {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Inside a union the branch that got furthest says most: "messages[0].content[2].type", not "messages". */
function deepest(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[] = []): Fault {
  const path = [...prefix, ...issue.path];
  if (issue.code !== 'invalid_union') return { code: issue.code, path, message: issue.message };
  const inner = issue.errors.flatMap((branch) => branch.slice(0, 1)).filter((fault) => fault.path.length > 0);
  const furthest = inner.sort((a, b) => b.path.length - a.path.length)[0];
  if (furthest) return deepest(furthest, path);
  // The branch whose type fits tells what is wrong with the value: "at most 64", not "wrong type".
  const fitting = issue.errors.flatMap((branch) => branch.slice(0, 1)).find((fault) => fault.code !== 'invalid_type');
  return { code: fitting?.code ?? issue.code, path, message: fitting?.message ?? issue.message };
}

/** messages, 0, content -> messages[0].content */
function paramName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name ? `${name}.${String(key)}` : String(key);
  }, '');
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    body,
  );
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
