/** Turns the schema's findings into sentences for the person who edits the file. */
import type { z } from 'zod';
import type { SettingPath } from './fault';
import { schemaAt } from './schema-tree';
import { settingsSchema } from './schema';
import { didYouMean, unknownSetting } from './suggest';

export interface Finding {
  readonly path: SettingPath;
  readonly message: string;
  /** Whether the key itself is wrong or the value behind it. */
  readonly part: 'key' | 'value';
}

type Issue = z.core.$ZodIssue;

export function findingsOf(issues: readonly Issue[], data: unknown): Finding[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key));
    return [{ path, message: sentence(issue, valueAt(data, path)), part: 'value' as const }];
  });
}

function unknownKey(path: SettingPath, key: string): Finding {
  const parent = schemaAt(settingsSchema, path);
  return { path: [...path, key], message: unknownSetting(key, parent, settingsSchema), part: 'key' };
}

function sentence(issue: Issue, value: unknown): string {
  if (value === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KIND[issue.expected] ?? issue.expected}, not ${kindOf(value)}`;
    case 'invalid_value': {
      const guess = typeof value === 'string' ? didYouMean(value, issue.values.map(String)) : '';
      return `must be one of ${issue.values.map(String).join(', ')}${guess}`;
    }
    case 'too_small':
      return `must ${bound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    default:
      return issue.message;
  }
}

const KIND: Readonly<Record<string, string>> = {
  object: 'a group of settings',
  record: 'a group of settings',
  array: 'a list',
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
};

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'a number' : `${value}`;
  return (
    { object: 'a group of settings', string: 'text', boolean: 'true or false' }[typeof value as string] ?? typeof value
  );
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'array' || origin === 'set') return `have ${relation} ${limit} entries`;
  if (origin === 'string') return `have ${relation} ${limit} characters`;
  return `be ${relation} ${limit}`;
}

export function valueAt(data: unknown, path: SettingPath): unknown {
  let current = data;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

/**
 * A copy of `data` without the faulty settings, so that the checks across settings can still run.
 * `lists` drops whole lists where an entry without its faulty part would be none.
 */
export function withoutFaulty(
  data: Record<string, unknown>,
  findings: readonly Finding[],
  lists: boolean,
): Record<string, unknown> {
  const copy = structuredClone(data);
  for (const { path } of findings) {
    const cut = [...path];
    // A hole in a list would shift what the other checks report.
    const isEntry = () => (lists ? cut.some((key) => typeof key === 'number') : typeof cut.at(-1) === 'number');
    while (isEntry()) cut.pop();
    const parent = valueAt(copy, cut.slice(0, -1));
    const key = cut.at(-1);
    if (key !== undefined && typeof parent === 'object' && parent !== null) {
      delete (parent as Record<string, unknown>)[key];
    }
  }
  return copy;
}
