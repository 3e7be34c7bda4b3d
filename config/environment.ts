/** Settings from the environment: `SOAI__SERVER__PORT=9000` is `SERVER.PORT` (spec J). */
import type { Fault } from './fault';
import { parseOverride, type Override } from './overrides';

const PREFIX = 'SOAI__';

/** The variable that sets a dotted path. */
export function variableFor(path: string): string {
  return PREFIX + path.replaceAll('.', '__');
}

export function readEnvironment(env: Readonly<Record<string, string | undefined>>): {
  overrides: Override[];
  faults: Fault[];
} {
  const overrides: Override[] = [];
  const faults: Fault[] = [];
  for (const name of Object.keys(env).sort(broaderFirst)) {
    const text = env[name];
    if (!name.startsWith(PREFIX) || text === undefined) continue;
    const result = parseOverride(name.slice(PREFIX.length).split('__'), text, { kind: 'env', name });
    if ('fault' in result) faults.push(result.fault);
    else overrides.push(result.override);
  }
  return { overrides, faults };
}

/** `SOAI__SERVER={...}` is laid down before `SOAI__SERVER__PORT`, which narrows it. */
function broaderFirst(a: string, b: string): number {
  return a.split('__').length - b.split('__').length || (a < b ? -1 : 1);
}
