/** Command-line flags that give settings, for `soai start` and every other command. */
import { parseArgs } from 'node:util';
import type { Fault } from './fault';
import { parseOverride, type Override } from './overrides';

export interface Flags {
  /** --config */
  readonly config?: string;
  /** Each `--set PATH=VALUE`, and the short forms below as the same thing. */
  readonly set?: readonly { readonly flag: string; readonly path: string; readonly value: string }[];
}

/** Flags with a name of their own. */
export const FLAG_SETTINGS = {
  host: 'SERVER.HOST',
  port: 'SERVER.PORT',
  'data-dir': 'SYSTEM.PATHS.SYSTEM_DATA',
  'log-level': 'LOG.LEVEL',
} as const;

/** Parses the arguments of `soai start`; anything it does not know is a fault. */
export function parseFlags(argv: readonly string[]): { flags: Flags; faults: Fault[] } {
  const text = { type: 'string' } as const;
  const config = { config: text, set: { ...text, multiple: true }, ...mapValues(FLAG_SETTINGS, () => text) } as const;
  try {
    const { values } = parseArgs({ args: [...argv], strict: true, allowPositionals: false, options: config });
    const set = (values.set ?? []).map(splitAssignment);
    for (const [name, path] of Object.entries(FLAG_SETTINGS)) {
      const value = values[name as keyof typeof FLAG_SETTINGS];
      if (value !== undefined) set.push({ flag: `--${name}`, path, value });
    }
    return { flags: { ...(values.config === undefined ? {} : { config: values.config }), set }, faults: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith('ERR_PARSE_ARGS_')) throw error;
    return { flags: {}, faults: [{ path: null, message, source: null }] };
  }
}

function mapValues<K extends string, V>(record: Readonly<Record<K, unknown>>, value: () => V): Record<K, V> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, value()])) as Record<K, V>;
}

/** `A.B=value`; without `=` the value is empty, that is null. */
export function splitAssignment(text: string): { flag: string; path: string; value: string } {
  const at = text.indexOf('=');
  const path = at === -1 ? text : text.slice(0, at);
  return { flag: `--set ${path}`, path, value: at === -1 ? '' : text.slice(at + 1) };
}

export function readFlags(flags: Flags): { overrides: Override[]; faults: Fault[] } {
  const overrides: Override[] = [];
  const faults: Fault[] = [];
  for (const { flag, path, value } of flags.set ?? []) {
    const result = parseOverride(path.split('.'), value, { kind: 'flag', name: flag });
    if ('fault' in result) faults.push(result.fault);
    else overrides.push(result.override);
  }
  return { overrides, faults };
}
