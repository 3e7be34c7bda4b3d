/**
 * Changes top-level members of a JSON object in its text, so that everything else stays as the backend
 * wrote it: number spellings, absent versus null, key order, escapes, repeated keys (cases T75, T80).
 *
 * | edit                | key present, even more than once | key absent                 |
 * |---------------------|----------------------------------|----------------------------|
 * | `set`               | each value replaced              | added in front             |
 * | `replace`           | each value replaced              | stays absent               |
 * | `remove`            | each member removed              | stays absent               |
 *
 * The text must be a valid JSON object: callers have parsed it before.
 */
export type MemberEdit =
  { readonly kind: 'set' | 'replace'; /** Valid JSON. */ readonly json: string } | { readonly kind: 'remove' };

export function editMembers(text: string, edits: Readonly<Record<string, MemberEdit>>): string {
  const missing = new Set(Object.keys(edits));
  const kept: string[] = [];
  for (const member of topLevelMembers(text)) {
    const edit = Object.hasOwn(edits, member.key) ? edits[member.key] : undefined;
    missing.delete(member.key);
    if (edit === undefined) kept.push(text.slice(member.start, member.end));
    else if (edit.kind !== 'remove') kept.push(`${text.slice(member.start, member.valueStart)}${edit.json}`);
  }
  const added = [...missing].flatMap((key) => {
    const edit = edits[key];
    return edit?.kind === 'set' ? [`${JSON.stringify(key)}:${edit.json}`] : [];
  });
  return `{${[...added, ...kept].join(',')}}`;
}

interface Member {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** Where each member starts and ends, without the comma behind it. */
function topLevelMembers(text: string): Member[] {
  const members: Member[] = [];
  let at = skipBlank(text, text.indexOf('{') + 1);
  while (text[at] === '"') {
    const start = at;
    const keyEnd = stringEnd(text, start);
    const valueStart = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, valueStart, end });
    at = skipBlank(text, skipBlank(text, end) + 1);
  }
  return members;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

/** Past the closing quote of the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from;
  do {
    at = text.indexOf('"', at + 1);
    if (at < 0) throw new SyntaxError('not a JSON object');
  } while (isEscaped(text, at));
  return at + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Past the value that begins at `from`: up to the comma or brace that ends it on this level. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const char = text[at];
    if (char === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      if (depth === 0) return trimEnd(text, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (char === ',' && depth === 0) return trimEnd(text, at);
    else if (char === undefined) throw new SyntaxError('not a JSON object');
    at += 1;
  }
}

function trimEnd(text: string, end: number): number {
  let at = end;
  while (skipBlank(text, at - 1) !== at - 1) at -= 1;
  return at;
}
