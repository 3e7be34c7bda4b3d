/** NAME=VALUE settings of a plugin on a command line. */
import { CliError, EXIT } from '../exit-code';

/**
 * Values are JSON where they parse as such, else text; NAME.KEY=… reaches into a setting; an empty
 * value removes the setting. From standard input or a file: NAME=@FILE, so that a secret is in no
 * shell history.
 */
export function settingsOf(
  assignments: readonly string[],
  readFile: (path: string) => string,
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, name, value] = /^([A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)*)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined || value === undefined) {
      const message = `"${assignment}" is no setting; write NAME=VALUE.`;
      throw new CliError(EXIT.usage, 'invalid_setting', message, 'For example: BASE_URL=http://127.0.0.1:8000/v1');
    }
    put(settings, name.split('.'), value.startsWith('@') ? readFile(value.slice(1)).trimEnd() : valueOf(value));
  }
  return settings;
}

function put(tree: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const below = tree[name];
  const inner = typeof below === 'object' && below !== null ? (below as Record<string, unknown>) : {};
  tree[name] = inner;
  put(inner, rest, value);
}

function valueOf(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
