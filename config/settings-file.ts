/** Reads a settings file, keeping the line and column of every key and value. */
import { readFileSync } from 'node:fs';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import type { Fault, SettingPath, SettingSource } from './fault';

export interface SettingsFile {
  readonly data: Record<string, unknown>;
  readonly faults: readonly Fault[];
  /** Where the key (or list entry) of a path stands; null when the file does not have it. */
  locate(path: SettingPath, part: 'key' | 'value'): SettingSource | null;
}

export function readSettingsFile(file: string): SettingsFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return unreadable(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  try {
    return parseSettings(file, text);
  } catch (error) {
    // The parser recurses: hostile nesting overflows its stack instead of giving a syntax error.
    if (error instanceof RangeError) return unreadable(file, 'is nested too deeply');
    throw error;
  }
}

export function parseSettings(file: string, text: string): SettingsFile {
  const lines = new LineCounter();
  // prettyErrors would quote the line, and with it a secret on that line.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'error' });
  const at = (offset: number): SettingSource => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', file, line, column: col };
  };
  const faults: Fault[] = document.errors.map((error) => ({
    path: null,
    message: sentence(error.code, error.message, text.slice(error.pos[0])),
    source: at(error.pos[0]),
  }));
  faults.push(...danglingAliases(document, at));
  const root = document.contents;
  if (faults.length === 0 && root !== null && !isMap(root) && !(isScalar(root) && root.value === null)) {
    faults.push({
      path: null,
      message: 'must hold settings (KEY: value), not a list or a single value',
      source: at(0),
    });
  }
  return {
    data: faults.length === 0 ? plain(document, faults, at) : {},
    faults,
    locate: (path, part) => {
      const offset = offsetOf(document, path, part);
      return offset === null ? null : at(offset);
    },
  };
}

function unreadable(file: string, message: string): SettingsFile {
  const source = { kind: 'file', file, line: null, column: null } as const;
  return { data: {}, faults: [{ path: null, message, source }], locate: () => null };
}

function danglingAliases(document: Document, at: (offset: number) => SettingSource): Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `*${alias.source} has no anchor &${alias.source} before it`;
      faults.push({ path: null, message, source: at(start(alias) ?? 0) });
    },
  });
  return faults;
}

function plain(document: Document, faults: Fault[], at: (offset: number) => SettingSource): Record<string, unknown> {
  try {
    return (document.toJS() ?? {}) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    // Aliases that multiply (a "billion laughs" file) are refused by the library's own limit.
    faults.push({ path: null, message: 'has too many aliases', source: at(0) });
    return {};
  }
}

/** The library's message where it says enough; ours where it talks to programmers. */
function sentence(code: string, message: string, rest: string): string {
  if (code === 'DUPLICATE_KEY') return `${/^[\w.-]+/.exec(rest)?.[0] ?? 'this key'} is given twice`;
  if (code === 'MULTIPLE_DOCS') return 'holds more than one YAML document';
  return `YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

function offsetOf(document: Document, path: SettingPath, part: 'key' | 'value'): number | null {
  let node = resolved(document, document.contents);
  let offset: number | null = 0;
  for (const key of path) {
    if (isSeq(node)) {
      const item: unknown = node.items[Number(key)];
      if (!isNode(item)) return null;
      offset = start(item);
      node = resolved(document, item);
    } else {
      const pair = findPair(document, node, String(key));
      if (pair === null) return null;
      const value = isNode(pair.value) ? pair.value : null;
      offset = (part === 'value' && value !== null ? start(value) : null) ?? start(pair.key);
      node = resolved(document, value);
    }
  }
  return offset;
}

/** The pair of that key, looking through merge keys (`<<`) as the data does. */
function findPair(document: Document, node: unknown, key: string): Pair | null {
  if (!isMap(node)) return null;
  const own = node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  if (own) return own;
  for (const pair of node.items) {
    if (!isScalar(pair.key) || String(pair.key.source) !== '<<') continue;
    const merged = resolved(document, pair.value as Node | null);
    for (const source of isSeq(merged) ? merged.items : [merged]) {
      const found = findPair(document, resolved(document, source as Node | null), key);
      if (found) return found;
    }
  }
  return null;
}

function resolved(document: Document, node: Node | null | undefined): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : (node ?? null);
}

function start(node: unknown): number | null {
  return isNode(node) && node.range ? node.range[0] : null;
}
