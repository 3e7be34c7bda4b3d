/** Judges input by a schema and refuses with all its faults in one sentence each, naming the first as `param`. */
import type { z } from 'zod';
import { AppError } from '../errors/app-error';
import type { ErrorCode } from '../errors/catalogue';

export function validate<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue, input));
  const [first] = faults;
  throw new AppError(first?.code ?? 'invalid_value', {
    param: first?.param ?? null,
    message: faults.map((fault) => fault.sentence).join(' '),
  });
}

interface Fault {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly sentence: string;
}

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, input: unknown): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault('unsupported_parameter', [...issue.path, key], 'is not known here'));
  }
  if (issue.code === 'invalid_union') {
    // The alternative that fits best says what is really missing.
    const best = [...issue.errors].sort((one, other) => one.length - other.length)[0];
    const inner = best?.flatMap((nested) => faultsOf({ ...nested, path: [...issue.path, ...nested.path] }, input));
    return inner && inner.length > 0 ? inner : [fault('invalid_value', issue.path, 'fits none of the alternatives')];
  }
  const missing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined;
  if (missing && issue.path.length > 0) return [fault('missing_required_parameter', issue.path, 'is required')];
  const code = issue.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  return [fault(code, issue.path, issue.message.replace(/^Invalid input: /, 'is wrong: '))];
}

function fault(code: ErrorCode, path: readonly PropertyKey[], complaint: string): Fault {
  const param = path.length === 0 ? null : path.map(String).join('.');
  return { code, param, sentence: `${param === null ? 'The input' : `"${param}"`} ${complaint}.` };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const inside = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return inside ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }, input);
}
