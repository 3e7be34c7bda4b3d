/** A command line that can be pasted into a POSIX shell. */

export function shellCommand(...parts: readonly (string | Readonly<Record<string, string>>)[]): string {
  return parts
    .flatMap((part) =>
      typeof part === 'string' ? [part] : Object.entries(part).map(([name, value]) => `--${name} ${quoted(value)}`),
    )
    .join(' ');
}

function quoted(value: string): string {
  return /^[A-Za-z0-9_./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
